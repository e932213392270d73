// What the steward wants done, what has come from others, and what follows for the locks.
#include <fmt/core.h>

#include <algorithm>

#include "net/stream.hpp"
#include "peer/claim_survey.hpp"
#include "peer/clients.hpp"
#include "peer/data_desk.hpp"
#include "peer/engine.hpp"
#include "peer/inquiries.hpp"
#include "peer/rangefinder.hpp"

namespace conch::peer {

using namespace recovery;

void Engine::settle(Time now) {
  if (!courier_) return forget_all();
  if (std::exchange(broken_, false)) {
    effects_.clear();
    happen(Expelled{}, now);
  }
  // Who has lost a lock hears of it before it does anything more with it.
  bool has_news = !effects_.empty();
  do {
    if (std::exchange(has_news, false)) do_all(now);
    while (!touched_.empty()) {
      LockDesk& desk = *touched_.back();
      touched_.pop_back();
      desk.touched = false;
      advance(desk, now);
    }
    leave_if_idle(now);
    do_all(now);
  } while (!touched_.empty() || !effects_.empty());
  courier_->flush();
  rouse_driver();
}

/// It has stopped: nobody carries out, and nobody hears, what is still done to its locks.
void Engine::forget_all() {
  effects_.clear();
  for (LockDesk* desk : std::exchange(touched_, {})) desk->touched = false;
}

void Engine::do_all(Time now) {
  std::swap(effects_, carried_out_);
  carry_out(carried_out_, now);
  carried_out_.clear();
}

void Engine::carry_out(Effects& effects, Time now) {
  for (const Introduction& each : effects.introductions) courier_->know(each.life, each.address);
  for (const Life& life : effects.forgotten) courier_->forget(life);
  follow_view(now);
  follow_epoch();
  dispatch(effects);
  for (Ask& ask : effects.asks) put_question(std::move(ask));
  for (const Event& event : effects.events)
    std::visit([&](const auto& chosen) { happen(chosen, now); }, event);
}

void Engine::dispatch(const Effects& effects) {
  for (const Effects::Parcel& parcel : effects.parcels) {
    if (parcel.lock && parcel.data.size > 0) data_->enclose(parcel.to, *parcel.lock, parcel.data);
    bool accepted = courier_->send(parcel.to, effects.payload(parcel));
    if (accepted)
      tell([&](Witness& witness) {
        std::string_view lock = parcel.lock ? std::string_view(*parcel.lock) : "";
        witness.sent(parcel.to, {parcel.type, lock, parcel.size});
      });
    LockDesk* desk = parcel.lock ? find_desk(*parcel.lock) : nullptr;
    if (!desk) continue;
    ++desk->traffic.messages_sent;
    desk->traffic.bytes_sent += parcel.size;
  }
}

/// Members' addresses are in the view. Who is no longer mentioned may still need an answer.
void Engine::follow_view(Time now) {
  if (!steward_ || !steward_->has_roster() || steward_->view().number == followed_view_) return;
  const View& view = steward_->view();
  followed_view_ = view.number;
  for (const Member& member : view.roster) {
    if (member.id == life_.id) continue;
    courier_->know(member.life(), member.address);
    bool is_new = known_lives_.try_emplace(member.life()).second;
    if (is_new && !register_) ask_terms(member.life());
  }
  // One that leaves is not on the roster of the view that it decides. Who has missed the one before
  // learns its address when it calls, and has a report for it by then.
  bool is_unknown = view.decider != life_ && known_lives_.try_emplace(view.decider).second;
  if (is_unknown) courier_->know(view.decider, "");
  for (auto& [life, unmentioned] : known_lives_) {
    if (view.mentions(life)) {
      unmentioned.reset();
    } else if (!unmentioned) {
      unmentioned = now;
      std::erase(contacts_, life);
    }
  }
  inquiries_->follow_view(view, now);
  rangefinder_->follow_view(view, now);
  data_->follow_view();
}

void Engine::follow_epoch() {
  if (!steward_ || steward_->epoch() == epoch_) return;
  epoch_ = steward_->epoch();
  if (epoch_ == Epoch{0}) return;  // A new life is in none yet.
  ++counts_.epochs;
  tell([&](Witness& witness) { witness.installed(epoch_, steward_->view()); });
  // Whoever readers were held back for may be gone.
  for (auto& [name, desk] : desks_)
    if (desk->queue.has_readers_in_line()) touch(*desk);
}

// The locks.

void Engine::advance(LockDesk& desk, Time now) {
  while (steward_->stage() != Stage::out) {
    auto may_be_wanted = [&] { return steward_->may_be_wanted(desk.name); };
    std::optional<LocalQueue::Step> step = desk.queue.next(entered_, may_be_wanted);
    admit(desk, now);
    if (!step) return;
    switch (step->kind) {
      case LocalQueue::Step::Kind::ask:
        steward_->request(now, desk.name, step->mode, effects_);
        break;
      case LocalQueue::Step::Kind::withdraw: steward_->cancel(now, desk.name, effects_); break;
      case LocalQueue::Step::Kind::release:
        steward_->release(now, desk.name, desk.data, effects_);
        break;
    }
  }
}

void Engine::admit(LockDesk& desk, Time now) {
  for (Claim* claim : entered_) {
    const Traffic& traffic = desk.traffic;
    claim->state = Claim::State::inside;
    claim->fence = desk.fence;
    claim->life = life_;
    if (claim->is_command() && commands_[life_]++ == 0) steward_->hold_fast(true);
    claim->receipt = {now - claim->asked, traffic.messages_sent - claim->before.messages_sent,
                      traffic.messages_received - claim->before.messages_received,
                      traffic.bytes_sent - claim->before.bytes_sent,
                      traffic.bytes_received - claim->before.bytes_received};
    ++counts_.entries;
    bool came = std::exchange(desk.came, false);
    if (came) ++counts_.handovers;
    tell([&](Witness& witness) {
      witness.entered(desk.name, {claim->mode, claim->fence, now - claim->asked, came});
    });
    claim->changed();
  }
  entered_.clear();
}

void Engine::lose(LockDesk& desk) {
  std::vector<Claim*> losers;
  desk.queue.lost(losers);
  for (Claim* claim : losers) {
    tell([&](Witness& witness) {
      witness.lost(desk.name, claim->mode, claim->held(net::steady_now()));
    });
    claim->state = Claim::State::lost;
    ++counts_.losses;
    claim->changed();
  }
  touch(desk);
}

void Engine::happen(const Granted& event, Time now) {
  LockDesk* desk = find_desk(event.lock);
  CONCH_EXPECT(desk, "a lock that was asked for has a desk");
  bool used_here = desk->fence != Fence{};
  desk->came = used_here ? event.baton.fence.number() != desk->fence.number() + 1
                         : desk->traffic.messages_received > 0;
  desk->fence = event.baton.fence;
  desk->data = event.baton.data;
  desk->rolled_back = event.rolled_back;
  desk->inside_since = now;
  desk->queue.granted(entered_);
  admit(*desk, now);
  touch(*desk);
}

void Engine::happen(const Moved& event, Time) {
  LockDesk* desk = find_desk(event.lock);
  CONCH_EXPECT(desk, "a lock that is held has a desk");
  desk->data = event.data;
  desk->rolled_back = event.rolled_back;
  for (Claim* claim : std::vector(desk->queue.inside())) claim->moved();
}

void Engine::happen(const Withdrew& event, Time) {
  LockDesk* desk = find_desk(event.lock);
  CONCH_EXPECT(desk, "a lock that was asked for has a desk");
  desk->queue.withdrew();
  touch(*desk);
}

/// Told for each lock before an expulsion, or when somebody has forced a lock open.
void Engine::happen(const Lost& event, Time) {
  if (LockDesk* desk = find_desk(event.lock)) lose(*desk);
}

void Engine::happen(const Opened& event, Time) { inquiries_->opened(event.lock); }

void Engine::happen(const Admitted&, Time) {
  if (phase_ == Phase::joining) enter_phase(Phase::member);
  tell([](Witness& witness) { witness.admitted(); });
  if (std::exchange(expelled_, false)) log("is in the group again, as a new life", LogLevel::info);
}

void Engine::happen(const Expelled&, Time) {
  // Those whom nobody waits for are killed at once.
  bool is_waited_for = steward_ && steward_->holds_fast();
  if (lease_page_ && has_lease() && !is_waited_for) lease_page_->finish();
  for (auto& [name, desk] : desks_) lose(*desk);
  data_->forget();
  if (phase_ == Phase::leaving) return enter_phase(Phase::gone);
  if (phase_ == Phase::member) {
    log("was out of touch for too long, or was evicted: what it held is lost", LogLevel::error);
    expelled_ = true;
  }
  be_born();
}

void Engine::happen(const Departed&, Time) { enter_phase(Phase::gone); }

void Engine::happen(const Refused& event, Time) {
  failure_ = event.why;
  if (phase_ != Phase::joining) log(event.why, LogLevel::error);
  enter_phase(Phase::failed);
  turn_everybody_out();
}

void Engine::happen(const LockArmed& event, Time now) {
  std::uniform_int_distribution<Duration::rep> delay(event.armed.min.count(),
                                                     event.armed.max.count());
  timers_.arm(event.lock, event.armed.timer, event.epoch, now + Duration(delay(dice_)));
}

void Engine::happen(const LockDisarmed& event, Time) { timers_.disarm(event.lock, event.timer); }

// The other peers.

void Engine::delivered(const Life& from, std::string_view payload) {
  if (payload.empty()) return;
  auto kind = static_cast<PayloadKind>(payload.front());
  std::string_view body = payload.substr(1);
  PayloadKind own = is_ring() ? PayloadKind::overlay : PayloadKind::recovery;
  if (kind != own) return take_other_payload(from, kind, body);
  bool understood = steward_ && !broken_;
  Intake intake;
  // A lock's lease may have run out since the driver began to work.
  Time now = is_ring() ? net::steady_now() : work_now_;
  if (understood) intake = steward_->receive(now, from, body, effects_);
  tell([&](Witness& witness) {
    std::string_view lock = intake.lock ? std::string_view(*intake.lock) : "";
    witness.received(from, {intake.type, lock, payload.size()});
  });
  if (!understood) return;
  broken_ = intake.fatal;
  if (!intake.fault.empty()) return doubt(from, intake.fault);
  LockDesk* desk = intake.lock ? find_desk(*intake.lock) : nullptr;
  if (!desk) return;
  ++desk->traffic.messages_received;
  desk->traffic.bytes_received += payload.size();
  // Whoever readers were held back for may have given up.
  if (desk->queue.has_readers_in_line()) touch(*desk);
}

/// It does not speak as a peer of ours would.
void Engine::doubt(const Life& from, const std::string& why) {
  log(fmt::format("peer {:x} says what makes no sense: {}", from.id.value, why));
  if (steward_ && !broken_) steward_->suspect(work_now_, from, effects_);
}

void Engine::take_other_payload(const Life& from, PayloadKind kind, std::string_view body) {
  std::string why;
  switch (kind) {
    case PayloadKind::recovery:
    case PayloadKind::overlay: break;
    case PayloadKind::register_ask:
      if (auto ask = unpacked<Ask>(body, why)) return ask_for(from, std::move(*ask));
      break;
    case PayloadKind::register_answer:
      if (auto answer = unpacked<Answer>(body, why)) return hear(*answer);
      break;
    case PayloadKind::terms_ask:
      if (register_) courier_->send(from, packed(PayloadKind::terms, terms_));
      return;
    case PayloadKind::terms:
      if (auto terms = unpacked<LeaseTerms>(body, why)) return learn_terms(from, *terms);
      break;
    case PayloadKind::status_ask:
      if (auto ask = unpacked<StatusAsk>(body, why)) return inquiries_->asked(from, *ask);
      break;
    case PayloadKind::outdated:
      if (auto m = unpacked<Outdated>(body, why)) return data_->outdated(m->lock, m->version);
      break;
    case PayloadKind::enclosure:
      if (auto m = unpacked<Enclosure>(body, why)) return data_->take_enclosure(std::move(*m));
      break;
    case PayloadKind::vacate:
      if (auto m = unpacked<Vacate>(body, why)) return vacate(from, *m);
      break;
    case PayloadKind::vacates:
      if (auto m = unpacked<Vacates>(body, why)) return inquiries_->told(from, *m);
      break;
    case PayloadKind::vacated:
      if (auto m = unpacked<Vacated>(body, why)) return inquiries_->told(from, *m);
      break;
    case PayloadKind::hurry:
      if (steward_) steward_->hold_fast(false);
      return;
    case PayloadKind::ping:
      if (auto ping = unpacked<Ping>(body, why)) return rangefinder_->pinged(from, *ping);
      break;
    case PayloadKind::pong:
      if (auto pong = unpacked<Pong>(body, why))
        return rangefinder_->answered(from, *pong, work_now_);
      break;
    case PayloadKind::distances:
      if (auto distances = unpacked<Distances>(body, why))
        return rangefinder_->told(from, *distances);
      break;
    case PayloadKind::status_part:
      if (auto part = unpacked<StatusPart>(body, why)) return inquiries_->told(from, *part);
      break;
    case PayloadKind::claims_ask:
      if (auto ask = unpacked<ClaimsAsk>(body, why)) return claim_survey_->asked(from, *ask);
      break;
    case PayloadKind::claims_part:
      if (auto part = unpacked<ClaimsPart>(body, why))
        return claim_survey_->told(from, std::move(*part));
      break;
  }
  doubt(from, why.empty() ? "an unknown kind of payload" : why);
}

void Engine::contacted(const std::string&, const Life& life) { ask_terms(life); }

/// Whoever has the register where it runs answers; the others do not.
void Engine::ask_terms(const Life& life) {
  courier_->send(life, packed(PayloadKind::terms_ask, TermsAsk{}));
}

void Engine::learn_terms(const Life& from, const LeaseTerms& terms) {
  if (register_) return;
  if (std::find(contacts_.begin(), contacts_.end(), from) == contacts_.end())
    contacts_.push_back(from);
  if (std::exchange(has_terms_, true)) return;
  terms_ = terms;
  phase_changed_.notify_all();
}

void Engine::broken(const Life& life, const std::string& why) {
  log(fmt::format("nothing reaches peer {:x} any more: {}", life.id.value, why));
  if (!steward_) return;
  if (is_ring()) remember_neighbours();
  steward_->suspect(work_now_, life, effects_);
  // All have forgotten it: it was away for long, and comes back as somebody new.
  if (is_ring() && phase_ == Phase::member && steward_->view().roster.size() == 1) broken_ = true;
  std::erase(contacts_, life);
  // Who is not in has no lease that could end. It would ask for ever those who have forgotten it;
  // somebody new they do not know either.
  bool asks_in_vain = !is_ring() && !register_ && contacts_.empty() && !steward_->lease_until();
  if (asks_in_vain) broken_ = true;
}

// The register.

/// Here, or through a peer of the machine that has it: the next one each time, for one may be gone.
void Engine::put_question(Ask ask) {
  if (!witnesses_.empty()) tell_suspicions(ask);
  if (register_) return register_->ask(life_, std::move(ask));
  if (const Life* contact = next_contact(ask))
    courier_->send(*contact, packed(PayloadKind::register_ask, ask));
}

/// Who would be out by what is proposed, but not the one that leaves.
void Engine::tell_suspicions(const Ask& ask) {
  const auto* propose = std::get_if<Propose>(&ask.question);
  if (!propose) return;
  for (const Member& member : steward_->view().roster) {
    bool stays = propose->view.roster.contains(member.life());
    if (stays || member.life() == life_) continue;
    tell([&](Witness& witness) { witness.suspected(member.life()); });
  }
}

/// For a peer of another machine. It speaks for nobody but itself.
void Engine::ask_for(const Life& asker, Ask ask) {
  const auto* renew = std::get_if<Renew>(&ask.question);
  const auto* delayed = std::get_if<RenewDelayed>(&ask.question);
  bool is_another = (renew && renew->life != asker) || (delayed && delayed->life != asker);
  if (!register_ || is_another) return;
  register_->ask(asker, std::move(ask));
}

void Engine::answered(const Life& asker, const Answer& answer) {
  std::lock_guard guard(mutex_);
  if (stopping_) return;
  if (asker == life_) {
    hear(answer);
  } else {
    courier_->send(asker, packed(PayloadKind::register_answer, answer));
  }
  settle(net::steady_now());
}

void Engine::hear(const Answer& answer) {
  if (!steward_) return;
  steward_->answered(net::steady_now(), answer, effects_);
  show_lease();
  clients_->lock_delay_recorded(net::steady_now());
}

void Engine::register_changed() {
  std::lock_guard guard(mutex_);
  if (stopping_ || !steward_) return;
  Time now = net::steady_now();
  steward_->watched(now, effects_);
  settle(now);
}

void Engine::register_trouble(const std::string& why) {
  std::lock_guard guard(mutex_);
  trouble_ = why;
  if (why.empty()) return log("the register can be used again", LogLevel::info);
  log(why);
}

// Clients.

void Engine::client_came(net::ClientId client) { clients_->came(client); }
void Engine::client_said(net::ClientId client, std::string_view payload) {
  if (steward_) return clients_->said(client, payload, work_now_);
  courier_->dismiss(client);  // It is not in the group yet.
}
void Engine::client_left(net::ClientId client) {
  clients_->left(client);
  inquiries_->left(client);
  claim_survey_->left(client);
}

/// No data travel yet: it is hung up on.
void Engine::stream_came(const Life& from, net::Stream stream) {
  if (steward_) data_->serve(from, std::move(stream));
}

}  // namespace conch::peer
