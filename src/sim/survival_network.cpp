// Survival: links between lives over a network that loses, delays and parts; and the way to the
// register.
#include <algorithm>

#include "core/print.hpp"
#include "sim/describe.hpp"
#include "sim/survival.hpp"

namespace conch::sim {

using namespace recovery;

void Survival::send(Process& from, const Life& to, Message message) {
  Link<Payload>::Frames frames;
  Connection& connection = from.connections[to];
  auto payload = std::make_shared<const Message>(std::move(message));
  if (!connection.link.send(payload, frames)) return;  // broken: it will be suspected
  ++report_.messages;
  if (trace_)
    note(from.life, "-> " + std::to_string(to.id.value) + "  " + describe(entry_, *payload));
  transmit_all(from, to, frames);
  watch_over(from, to, false);
}

void Survival::transmit_all(Process& from, const Life& to, Link<Payload>::Frames& frames) {
  for (const auto& frame : frames) transmit(from.life, to, frame);
}

void Survival::transmit(const Life& from, const Life& to, const Link<Payload>::Frame& frame) {
  if (is_cut(from.id, to.id) || chance(loss_)) return;
  int copies = stormy_ && chance(loss_) ? 2 : 1;
  for (int i = 0; i < copies; ++i)
    this->to(to, draw(std::chrono::microseconds(200), latency_max_),
             [this, from, frame](Process& process) { arrive(process, from, frame); });
}

void Survival::arrive(Process& process, const Life& from, const Link<Payload>::Frame& frame) {
  Life life = process.life;
  Connection& connection = process.connections[from];
  std::size_t unacknowledged = connection.link.unacknowledged();
  Link<Payload>::Frames frames;
  std::vector<Payload> delivered;
  connection.link.receive(frame, frames, delivered);
  bool progress = connection.link.unacknowledged() < unacknowledged;
  transmit_all(process, from, frames);
  watch_over(process, from, progress);
  for (const Payload& message : delivered) {
    Process* receiver = find(life);
    if (!receiver) return;
    const auto* told = std::get_if<Told>(message.get());
    bool is_token = told && told->message && told->message->is_token;
    if (is_token && told->epoch < receiver->peer->participant().view().epoch)
      oracles_.see(Sighting::token_in_flight);
    call(*receiver, [&](Steward& peer, StewardOrders& out) { peer.receive(from, *message, out); });
  }
}

/// Keeps the retransmission timer of a link, and tells the peer how long it has been waiting. What
/// is meant for a life that the group has forgotten is given up.
void Survival::watch_over(Process& process, const Life& to, bool progress) {
  Connection& connection = process.connections[to];
  if (!connection.link.wants_timer()) {
    connection.silent_since.reset();
    ++connection.timer;
    return;
  }
  bool started = !connection.silent_since;
  if (started || progress) connection.silent_since = now_;
  if (!started && !progress && connection.timer > 0) return;  // one is running
  std::uint64_t number = ++connection.timer;
  Duration delay = retransmission_delay(3 * latency_max_, connection.link.attempts());
  this->to(process.life, delay, [this, to, number](Process& sender) {
    auto found = sender.connections.find(to);
    if (found == sender.connections.end() || found->second.timer != number) return;
    if (!sender.peer->participant().view().mentions(to))
      return void(sender.connections.erase(found));
    Link<Payload>::Frames frames;
    found->second.link.timeout(frames);
    transmit_all(sender, to, frames);
    Duration silence = now_ - found->second.silent_since.value_or(now_);
    found->second.silent_since = found->second.silent_since.value_or(now_);
    // Again, if still nothing comes: a link whose timer has run out starts a new one.
    found->second.timer = 0;
    Life life = sender.life;
    watch_over(sender, to, false);
    if (Process* still = find(life))
      call(*still, [&](Steward& peer, StewardOrders& out) { peer.silent(to, silence, out); });
  });
}

// The register.

void Survival::ask(const Life& life, const Ask& ask) {
  if (trace_) note(life, "asks the register  " + describe(ask.question));
  bool reaches = !cut_from_register_.contains(life.id.value) && !chance(loss_);
  if (!reaches) return;
  after(draw(std::chrono::microseconds(200), latency_max_) + register_delay_,
        [this, life, ask] { answer(life, ask); });
}

void Survival::answer(const Life& life, const Ask& ask) {
  if (register_away_) return;
  View before = register_.view();
  std::uint64_t refusals = register_.refusals();
  Answer answer = register_.answer(ask, register_clock_.shows(now_));
  if (register_.refusals() > refusals) oracles_.see(Sighting::proposal_refused);
  expire_in_time();
  see_view(before);
  bool comes_back = !cut_from_register_.contains(life.id.value) && !chance(answers_lost_);
  if (!comes_back) return;
  to(life, draw(std::chrono::microseconds(200), latency_max_) + register_delay_,
     [this, answer](Process& process) {
       call(process, [&](Steward& peer, StewardOrders& out) { peer.answered(answer, out); });
     });
}

/// Everybody who watches is told, usually.
void Survival::notify() {
  if (register_away_) return;
  for (const Life& life : living()) {
    if (cut_from_register_.contains(life.id.value) || chance(answers_lost_)) continue;
    to(life, draw(std::chrono::microseconds(200), latency_max_) + register_delay_,
       [this](Process& process) {
         call(process, [](Steward& peer, StewardOrders& out) { peer.watched(out); });
       });
  }
}

void Survival::expire_in_time() {
  std::optional<Time> next = register_.next_expiry();
  if (!next) return;
  std::uint64_t number = ++expiry_;
  at(std::max(now_, register_clock_.when(*next)), [this, number] {
    if (number != expiry_) return;
    if (register_.expire(register_clock_.shows(now_))) notify();
    expire_in_time();
  });
}

void Survival::see_view(const View& before) {
  const View& view = register_.view();
  if (view.number == before.number) return;
  for (const Member& member : before.roster)
    if (!view.roster.contains(member.life())) oracles_.gone(member.life());
  note("view " + std::to_string(view.number) + ", epoch " + std::to_string(view.epoch.value) +
       ", roster " + print(view.roster.all()) + ", decider " +
       std::to_string(view.decider.id.value) + ", evicted " + std::to_string(view.evicted.size()));
  notify();
  if (view.epoch == before.epoch) return;
  const Process* decider = find(view.decider);
  bool relabelled = std::any_of(before.roster.begin(), before.roster.end(), [&](const Member& old) {
    const Member* member = view.roster.find(old.id);
    return member && member->life() == old.life() && member->cluster != old.cluster;
  });
  if (relabelled) oracles_.see(Sighting::relabelled);
  bool same = view.roster.settled() == before.roster.settled() && view.forced == before.forced;
  if (same && decider && decider->peer->participant().is_worn()) oracles_.see(Sighting::epoch_worn);
  if (decided_ < before.epoch) oracles_.see(Sighting::recovery_overlapped);
  haunt_recovery();
}

void Survival::see_end_of(const Life& life) {
  const View& view = register_.view();
  if (view.decider == life && decided_ < view.epoch) oracles_.see(Sighting::decider_died);
}

}  // namespace conch::sim
