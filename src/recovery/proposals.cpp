#include "recovery/proposals.hpp"

namespace conch::recovery {

namespace {

/// The next view, still with the contents of the known one.
View next(const RegisterSnapshot& known) {
  View view = known.view;
  ++view.number;
  std::erase_if(view.evicted, [&](const PeerInstance& life) { return known.has_ended(life); });
  return view;
}

void put_out(View& view, NodeId id, const RegisterSnapshot& known) {
  const Member* member = view.roster.find(id);
  if (!member) return;
  if (!known.has_ended(member->life())) view.evicted.push_back(member->life());
  view.roster = view.roster.without(id);
}

View begin_epoch(View view, const PeerInstance& decider, const RegisterSnapshot& known) {
  view.epoch = std::max(Epoch{view.epoch.value + 1}, known.epoch_floor);
  view.decider = decider;
  view.roster = view.roster.settled();
  return view;
}

/// The newcomers that wait and fit the view, which they may not have seen.
std::vector<Member> companions(const std::vector<Newcomer>& waiting, const View& view,
                               const Member& newcomer) {
  std::vector<Member> fitting;
  for (const Newcomer& each : waiting) {
    bool fits = each.algorithm == view.algorithm && each.eps == view.eps &&
                each.member.id != newcomer.id && !view.roster.contains(each.member.life()) &&
                common(each.member.speaks, newcomer.speaks);
    if (fits) fitting.push_back(each.member);
  }
  return fitting;
}

}  // namespace

std::vector<NodeId> dead_members(const RegisterSnapshot& known) {
  std::vector<NodeId> dead;
  if (known.ended.empty()) return dead;
  for (const Member& member : known.view.roster)
    if (known.has_ended(member.life())) dead.push_back(member.id);
  return dead;
}

View admission(const RegisterSnapshot& known, const Member& newcomer, std::string_view algorithm,
               Membership membership, std::uint32_t eps, const std::vector<Newcomer>& waiting) {
  View view = next(known);
  std::size_t members = view.roster.size();
  for (NodeId dead : dead_members(known)) put_out(view, dead, known);
  put_out(view, newcomer.id, known);
  std::vector<Member> newcomers{newcomer};
  if (view.roster.empty()) {
    view.algorithm = algorithm;
    view.eps = eps;
  } else {
    for (Member& each : companions(waiting, known.view, newcomer)) {
      put_out(view, each.id, known);
      newcomers.push_back(std::move(each));
    }
  }
  bool untouched = view.roster.size() == members && members > 0;
  for (Member& each : newcomers) {
    each.guest = true;
    view.roster = view.roster.with(std::move(each));
  }
  if (membership == Membership::dynamic && untouched && newcomers.size() == 1) return view;
  return begin_epoch(std::move(view), newcomer.life(), known);
}

View renewal(const RegisterSnapshot& known, const PeerInstance& decider,
             const std::vector<std::string>& locks) {
  View view = begin_epoch(next(known), decider, known);
  for (const std::string& lock : locks) {
    std::erase_if(view.forced, [&](const Forced& each) { return each.lock == lock; });
    view.forced.push_back({lock, view.epoch});
  }
  return view;
}

View relabelling(const RegisterSnapshot& known, const PeerInstance& decider,
                 const std::map<NodeId, std::string>& labels) {
  View view = next(known);
  view.roster = view.roster.labelled(labels);
  return begin_epoch(std::move(view), decider, known);
}

View departure(const RegisterSnapshot& known, const PeerInstance& leaver,
               const std::vector<PeerInstance>& waiting) {
  View view = next(known);
  for (NodeId dead : dead_members(known)) put_out(view, dead, known);
  for (const PeerInstance& each : waiting)
    if (each != leaver && view.roster.contains(each)) put_out(view, each.id, known);
  view.roster = view.roster.without(leaver.id);
  return begin_epoch(std::move(view), leaver, known);
}

std::string language_barrier(const Roster& roster, NodeId member) {
  const Member* self = roster.find(member);
  if (self == nullptr) return "";
  for (const Member& other : roster)
    if (!common(self->speaks, other.speaks))
      return "the group speaks " + describe(other.speaks) + " of the protocol, this release " +
             describe(self->speaks) + "; first install a release between the two everywhere";
  return "";
}

View eviction(const RegisterSnapshot& known, const std::vector<NodeId>& those,
              const PeerInstance& decider) {
  View view = next(known);
  for (NodeId id : those) put_out(view, id, known);
  return begin_epoch(std::move(view), decider, known);
}

}  // namespace conch::recovery
