// Fuzzes a peer, with any algorithm, and with or without a register: a member sends it anything.
// That may break what the peer relies on. An invariant then reports it before anything is handed
// out, and the peer drops the group member and begins a new life, as after the loss of its lease.
// Nothing else may happen.
#include "fuzz.hpp"
#include "group.hpp"
#include "node/charter.hpp"
#include "node/overlay_member.hpp"
#include "recovery/leased_member.hpp"

using namespace conch;
using namespace conch::node;
using namespace conch::recovery;

namespace {

constexpr Duration lease = std::chrono::seconds(1);

/// Empty for an algorithm with a register.
std::optional<OverlayGroupSettings> overlay_settings_of(const std::string& name) {
  return parse_overlay_settings(name + "/5/1000ms");
}

std::unique_ptr<GroupMember> make(const std::string& name) {
  if (std::optional<OverlayGroupSettings> agreed = overlay_settings_of(name))
    return make_overlay_member({fuzz::member(fuzz::victim, ""), *agreed, {}, 1});
  return std::make_unique<LeasedMember>(fuzz::member(fuzz::victim, "geneva"),
                                        charter_of(find_algorithm(name)), LeaseTerms{lease, 0});
}

/// One step of an input: what happens, and for a message its sender and its length.
enum class Step : std::uint8_t { message, request, release, cancel, tick, answer, leave, steps };

class Victim {
 public:
  explicit Victim(const std::string& name) : group_member_(make(name)) {
    standing_.view = fuzz::first_view(name);
    group_member_->start(out_.at(now_));
    answer(false);
    answer(true);
    answer(true);
  }

  /// Runs the input until it ends or the life is over.
  void live(std::string_view input) {
    while (!input.empty() && !fatal_) {
      auto step = static_cast<std::uint8_t>(input.front()) % static_cast<std::uint8_t>(Step::steps);
      input.remove_prefix(1);
      now_ += std::chrono::milliseconds(1);
      take(static_cast<Step>(step), input);
      for (const MemberEvent& event : out_.events) happen(event);
      std::vector<RegisterRequest> asks = std::move(out_.asks);
      out_.clear();
      out_.asks = std::move(asks);
    }
  }

  /// Whether the victim is in the group and neither holds nor wants the lock.
  bool is_in() const { return may(Doing::nothing); }

 private:
  enum class Doing { nothing, waiting, cancelling, inside, leaving };

  void take(Step step, std::string_view& input) {
    switch (step) {
      case Step::message: return receive(input);
      case Step::request:
        if (!may(Doing::nothing)) return;
        doing_ = Doing::waiting;
        return void(group_member_->request("a", {}, out_.at(now_)));
      case Step::release:
        if (!may(Doing::inside)) return;
        doing_ = Doing::nothing;
        return void(group_member_->release("a", {}, out_.at(now_)));
      case Step::cancel:
        if (!may(Doing::waiting)) return;
        doing_ = Doing::cancelling;
        return void(group_member_->cancel("a", out_.at(now_)));
      case Step::tick:
        now_ = std::max(now_, std::min(group_member_->wakes(), now_ + lease / 4));
        return group_member_->tick(out_.at(now_));
      case Step::leave:
        if (!may(Doing::nothing)) return;
        doing_ = Doing::leaving;
        return group_member_->leave(out_.at(now_));
      default: return answer(true);
    }
  }
  bool may(Doing doing) const {
    bool is_in = group_member_->stage() == ViewStage::working && group_member_->has_lease(now_);
    return is_in && doing_ == doing;
  }
  void happen(const MemberEvent& event) {
    auto is_ours = [](const auto* of_lock) { return of_lock && of_lock->lock == "a"; };
    if (is_ours(std::get_if<Granted>(&event))) doing_ = Doing::inside;
    if (is_ours(std::get_if<Withdrew>(&event))) doing_ = Doing::nothing;
    if (is_ours(std::get_if<LockLost>(&event))) doing_ = Doing::nothing;
  }

  void receive(std::string_view& input) {
    if (input.size() < 3) return;
    auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(input[at]); };
    const PeerInstance& from = fuzz::others[byte(0) % fuzz::others.size()];
    std::size_t size = std::min<std::size_t>(byte(1) * 256U + byte(2), input.size() - 3);
    Intake intake = group_member_->receive(from, input.substr(3, size), out_.at(now_));
    input.remove_prefix(3 + size);
    fatal_ = intake.fatal;
  }
  /// Answers the victim's last question; the register is honest.
  void answer(bool yes) {
    if (out_.asks.empty()) return;
    RegisterRequest asked = std::move(out_.asks.back());
    out_.asks.pop_back();
    if (const auto* propose = std::get_if<Propose>(&asked.question);
        propose && yes && propose->view.number == standing_.view.number + 1)
      standing_.view = propose->view;
    group_member_->answered({asked.number, yes, standing_}, out_.at(now_));
  }

  std::unique_ptr<GroupMember> group_member_;
  Effects out_;
  Time now_{std::chrono::seconds(1)};
  RegisterSnapshot standing_;
  Doing doing_ = Doing::nothing;
  bool fatal_ = false;
};

// Seeds.

std::string step(Step step) { return std::string(1, static_cast<char>(step)); }
std::string step(std::size_t from, std::string_view message) {
  std::string text = step(Step::message);
  for (std::size_t part : {from, message.size() / 256, message.size() % 256})
    text += static_cast<char>(part);
  return text.append(message);
}

/// The input of a victim whose ring another peer joins; then both want the lock.
std::string session(const OverlayGroupSettings& agreed) {
  std::array lives{fuzz::victim, fuzz::others[0]};
  std::array<std::unique_ptr<GroupMember>, 2> group_members;
  std::array<Effects, 2> outs;
  std::string heard;
  Time now{std::chrono::seconds(1)};
  for (std::size_t i : {0U, 1U}) {
    std::vector<Introduction> contacts;
    if (i == 1) contacts.push_back({lives[0], fuzz::member(lives[0], "").address});
    group_members[i] = make_overlay_member({fuzz::member(lives[i], ""), agreed, contacts, i + 1});
    group_members[i]->start(outs[i].at(now));
  }
  for (int round = 0; round < 60; ++round) {
    now += lease / 20;
    for (std::size_t i : {0U, 1U}) {
      Effects sent = std::exchange(outs[i], {});
      for (const Effects::OutgoingMessage& outgoing_message : sent.outgoing) {
        std::string_view body = sent.payload(outgoing_message).substr(1);
        if (i == 1) heard += step(0, body);
        group_members[1 - i]->receive(lives[i], body, outs[1 - i].at(now));
      }
    }
    for (std::size_t i : {0U, 1U}) {
      group_members[i]->tick(outs[i].at(now));
      if (round == 20) group_members[i]->request("a", {}, outs[i].at(now));
    }
    heard += step(Step::tick);
    if (round == 20) heard += step(Step::request);
  }
  return heard;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> all;
  std::string entry = step(Step::request) + step(Step::tick) + step(Step::release);
  for (const std::string& name : fuzzed()) {
    if (std::optional<OverlayGroupSettings> agreed = overlay_settings_of(name)) {
      all.push_back(session(*agreed));
      continue;
    }
    std::string begun = step(0, first_report()) + step(1, first_report());
    Victim sane(name);
    sane.live(begun);
    require(sane.is_in(), "who hears only sense is in the group");
    for (const std::string& message : messages_of(name)) {
      all.push_back(begun + step(0, message) + entry + step(1, message) + entry);
      all.push_back(begun + step(Step::request) + step(0, message) + entry + entry);
      all.push_back(begun + step(Step::request) + step(Step::cancel) + step(0, message) + entry);
    }
  }
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const std::string& name : fuzz::fuzzed()) Victim(name).live(fuzz::view_of(data, size));
  return 0;
}
