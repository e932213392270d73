#include "recovery/specimens.hpp"

#include <algorithm>

namespace conch::recovery {

namespace {

/// The guest is not put on the roster; only a HELLO tells the members of it.
class WithoutRoster : public RecoveryPolicy {
  bool is_newer(const View& view, const View& than) const override {
    bool has_more = view.number == than.number && view.roster.size() > than.roster.size();
    return RecoveryPolicy::is_newer(view, than) || has_more;
  }
  Roster seen(Roster roster, const Member& newcomer, bool is_outside) const override {
    if (!is_outside || roster.contains(newcomer.life())) return roster;
    Member guest = newcomer;
    guest.guest = true;
    return roster.with(std::move(guest));
  }
  Roster registered(Roster roster) const override {
    Roster known = roster;
    for (const Member& member : roster)
      if (member.guest) known = known.without(member.id);
    return known;
  }
};

class WithoutOldEpochs : public RecoveryPolicy {
  bool is_void(Epoch, Epoch) const override { return false; }
};

class WithoutNewEpochs : public RecoveryPolicy {
  bool is_void(Epoch, Epoch) const override { return true; }
};

class WithoutLease : public RecoveryPolicy {
  std::optional<Time> lapses_at(std::optional<Time>) const override { return std::nullopt; }
};

class WithoutAcceptance : public RecoveryPolicy {
  bool decides_at_once() const override { return true; }
  bool reports_to_rival(bool is_rival) const override { return is_rival; }
  bool installs(bool is_due, bool is_installed) const override { return is_due || is_installed; }
};

class WithoutIncarnation : public RecoveryPolicy {
  bool has_reported(const std::map<PeerInstance, LockReports>& reports,
                    const PeerInstance& life) const override {
    return std::any_of(reports.begin(), reports.end(),
                       [&](const auto& each) { return each.first.id == life.id; });
  }
};

class WithoutFences : public RecoveryPolicy {
  Fence origin(Epoch) const override { return Fence(Epoch{1}, 0); }
};

class WithoutCommand : public RecoveryPolicy {
  bool has_let_go(bool) const override { return true; }
};

}  // namespace

const RecoveryPolicy* policy_without(Rule rule) {
  switch (rule) {
    case Rule::none: return policy<RecoveryPolicy>();
    case Rule::roster: return policy<WithoutRoster>();
    case Rule::old_epochs: return policy<WithoutOldEpochs>();
    case Rule::new_epochs: return policy<WithoutNewEpochs>();
    case Rule::lease: return policy<WithoutLease>();
    case Rule::acceptance: return policy<WithoutAcceptance>();
    case Rule::incarnation: return policy<WithoutIncarnation>();
    case Rule::fences: return policy<WithoutFences>();
    case Rule::command: return policy<WithoutCommand>();
  }
  return nullptr;
}

}  // namespace conch::recovery
