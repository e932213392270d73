// What other peers, the register and clients say.
#include <algorithm>

#include "node/names.hpp"
#include "node/node.hpp"

namespace conch::node {

using namespace recovery;

namespace {

constexpr Duration seeking_period = std::chrono::seconds(1);
constexpr unsigned vain_seeks_max = 8;

}  // namespace

// The other peers.

bool Node::send(const Life& to, std::string_view payload) {
  if (!channels_.send(to, payload)) return false;
  tell([&](Witness& witness) { witness.said(to, payload); });
  return true;
}

void Node::delivered(const Life& from, std::string_view payload, Time now) {
  if (payload.empty()) return;
  tell([&](Witness& witness) { witness.heard(from, payload); });
  auto kind = static_cast<PayloadKind>(payload.front());
  std::string_view body = payload.substr(1);
  PayloadKind own = is_ring() ? PayloadKind::overlay : PayloadKind::recovery;
  if (kind != own) return take_other_payload(from, kind, body, now);
  bool understood = steward_ && !broken_;
  if (understood) catch_up(now);
  Intake intake;
  if (understood) intake = steward_->receive(from, body, effects_.at(now));
  bool is_readable = intake.fault.empty() || intake.fatal || !intake.type.empty();
  if (!is_readable) return doubt(from, intake.fault, now);
  tell([&](Witness& witness) {
    std::string_view lock = intake.lock ? std::string_view(*intake.lock) : "";
    witness.received(from, {intake.type, lock, payload.size()});
  });
  if (!understood) return;
  broken_ = intake.fatal;
  if (!intake.fault.empty()) return doubt(from, intake.fault, now);
  LockDesk* desk = intake.lock ? find_desk(*intake.lock) : nullptr;
  if (!desk) return;
  ++desk->traffic.messages_received;
  desk->traffic.bytes_received += payload.size();
  // Whoever readers were held back for may have given up.
  if (desk->queue.has_readers_in_line()) touch(*desk);
}

/// It does not speak as a peer of ours would.
void Node::doubt(const Life& from, const std::string& why, Time now) {
  log("peer " + in_hex(from.id.value) + " says what makes no sense: " + why);
  if (steward_ && !broken_) steward_->suspect(from, effects_.at(now));
}

void Node::take_other_payload(const Life& from, PayloadKind kind, std::string_view body, Time now) {
  // Until it knows the terms of the lease a peer has no life, and nothing to say of itself.
  if (!steward_ && kind != PayloadKind::terms && kind != PayloadKind::terms_ask) return;
  std::string why;
  switch (kind) {
    case PayloadKind::recovery:
    case PayloadKind::overlay: break;
    case PayloadKind::register_ask:
      if (auto ask = unpacked<Ask>(body, why)) return ask_for(from, std::move(*ask));
      break;
    case PayloadKind::register_answer:
      if (auto answer = unpacked<Answer>(body, why)) return rely_on(from), hear(*answer, now);
      break;
    case PayloadKind::terms_ask:
      if (options_.has_register) send(from, packed(PayloadKind::terms, options_.terms));
      return;
    case PayloadKind::terms:
      if (auto terms = unpacked<LeaseTerms>(body, why)) return learn_terms(from, *terms);
      break;
    case PayloadKind::status_ask:
      if (auto ask = unpacked<StatusAsk>(body, why)) return inquiries_.asked(from, *ask, now);
      break;
    case PayloadKind::outdated:
      if (auto m = unpacked<Outdated>(body, why)) return data_.outdated(m->lock, m->version);
      break;
    case PayloadKind::enclosure:
      if (auto m = unpacked<Enclosure>(body, why)) return data_.take_enclosure(std::move(*m));
      break;
    case PayloadKind::vacate:
      if (auto m = unpacked<Vacate>(body, why)) return vacate(from, *m, now);
      break;
    case PayloadKind::vacates:
      if (auto m = unpacked<Vacates>(body, why)) return inquiries_.told(from, *m, now);
      break;
    case PayloadKind::vacated:
      if (auto m = unpacked<Vacated>(body, why)) return inquiries_.told(from, *m, now);
      break;
    case PayloadKind::hurry:
      if (steward_) steward_->hold_fast(false);
      return;
    case PayloadKind::ping:
      if (auto ping = unpacked<Ping>(body, why)) return rangefinder_.pinged(from, *ping);
      break;
    case PayloadKind::pong:
      if (auto pong = unpacked<Pong>(body, why)) return rangefinder_.answered(from, *pong, now);
      break;
    case PayloadKind::distances:
      if (auto distances = unpacked<Distances>(body, why))
        return rangefinder_.told(from, *distances);
      break;
    case PayloadKind::status_part:
      if (auto part = unpacked<StatusPart>(body, why)) return inquiries_.told(from, *part, now);
      break;
    case PayloadKind::claims_ask:
      if (auto ask = unpacked<ClaimsAsk>(body, why)) return claim_survey_.asked(from, *ask, now);
      break;
    case PayloadKind::claims_part:
      if (auto part = unpacked<ClaimsPart>(body, why))
        return claim_survey_.told(from, std::move(*part), now);
      break;
  }
  doubt(from, why.empty() ? "an unknown kind of payload" : why, now);
}

void Node::broken(const Life& life, const std::string& why, Time now) {
  log("nothing reaches peer " + in_hex(life.id.value) + " any more: " + why);
  if (!steward_) return;
  if (is_ring()) remember_neighbours();
  unreachable_.insert(life);
  steward_->suspect(life, effects_.at(now));
  // All have forgotten it: it was away for long, and comes back as somebody new.
  if (is_ring() && phase_ == Phase::member && steward_->view().roster.size() == 1) broken_ = true;
  std::erase(contacts_, life);
  // Who is not in has no lease that could end. It would ask for ever those who have forgotten it;
  // somebody new they do not know either.
  bool asks_in_vain =
      !is_ring() && !options_.has_register && contacts_.empty() && !steward_->lease_until();
  if (asks_in_vain) broken_ = true;
}

// The register; here, or where somebody asks it for us.

/// Again, until somebody has told the terms: who has answered may have died since.
void Node::seek(Time now) {
  next_housekeeping_ = now + seeking_period;
  // Those who have the register may have lost their channel to this life, and cannot tell it.
  if (++seeks_ % vain_seeks_max == 0) {
    renew_life(now);
    world_.begin_life(life_);
  }
  for (const std::string& address : options_.join) channels_.contact(address);
}

/// Whoever has the register where it runs answers; the others do not.
void Node::ask_terms(const Life& life) { send(life, packed(PayloadKind::terms_ask, TermsAsk{})); }

void Node::learn_terms(const Life& from, const LeaseTerms& terms) {
  if (options_.has_register) return;
  if (std::find(contacts_.begin(), contacts_.end(), from) == contacts_.end()) {
    std::erase_if(contacts_, [&](const Life& each) { return each.id == from.id; });
    contacts_.push_back(from);
  }
  if (std::exchange(has_terms_, true)) return;
  options_.terms = terms;
  world_.phase_changed();
}

/// Those who asked the register for the last life may have new lives themselves, of which only the
/// register could tell. Who is still there says so; and meanwhile there is nobody, so that the
/// addresses to join at are tried, too.
void Node::find_contacts_again(Time now) {
  contacts_.clear();
  contacts_sought_ = now;
  if (options_.has_register || is_ring()) return;
  for (const auto& [life, unmentioned] : known_lives_) ask_terms(life);
}

/// The next question goes to whoever has answered the last.
void Node::rely_on(const Life& contact) {
  auto found = std::find(contacts_.begin(), contacts_.end(), contact);
  if (found != contacts_.end()) contact_turn_ = static_cast<std::size_t>(found - contacts_.begin());
}

bool Node::knows_lock_delays(const Life& contact) const {
  return channels_.version_with(contact) >= claims_version;
}

/// Tries the next contact with each question until one answers, because a contact may have died.
/// Null if no contact understands the question: a peer of version 1 would reject a lock delay as
/// malformed, and evict this peer.
const Life* Node::next_contact(const Ask& ask) {
  bool is_delayed = std::holds_alternative<RenewDelayed>(ask.question);
  for (std::size_t tried = 0; tried < contacts_.size(); ++tried) {
    const Life& contact = contacts_[contact_turn_++ % contacts_.size()];
    if (!is_delayed || knows_lock_delays(contact)) return &contact;
  }
  return nullptr;
}

std::string Node::why_no_lock_delay() const {
  if (is_ring()) return "this group has no register that could remember a lock delay: leave it out";
  bool is_known = options_.has_register ||
                  std::any_of(contacts_.begin(), contacts_.end(),
                              [&](const Life& each) { return knows_lock_delays(each); });
  if (is_known) return "";
  return "the members that have the register are of a release without lock delays: leave it out, "
         "or install this release there first";
}

void Node::put_question(Ask ask) {
  if (!witnesses_.empty()) tell_suspicions(ask);
  if (options_.has_register) return world_.ask(life_, std::move(ask));
  if (const Life* contact = next_contact(ask))
    send(*contact, packed(PayloadKind::register_ask, ask));
}

/// Who would be out by what is proposed, but not the one that leaves.
void Node::tell_suspicions(const Ask& ask) {
  const auto* propose = std::get_if<Propose>(&ask.question);
  if (!propose) return;
  for (const Member& member : steward_->view().roster) {
    bool stays = propose->view.roster.contains(member.life());
    if (stays || member.life() == life_) continue;
    tell([&](Witness& witness) { witness.suspected(member.life()); });
  }
}

/// For a peer of another machine. It speaks for nobody but itself.
void Node::ask_for(const Life& asker, Ask ask) {
  const auto* renew = std::get_if<Renew>(&ask.question);
  const auto* delayed = std::get_if<RenewDelayed>(&ask.question);
  bool is_another = (renew && renew->life != asker) || (delayed && delayed->life != asker);
  if (!options_.has_register || is_another) return;
  world_.ask(asker, std::move(ask));
}

void Node::answered(const Life& asker, const Answer& answer, Time now) {
  if (asker == life_) return hear(answer, now);
  send(asker, packed(PayloadKind::register_answer, answer));
}

void Node::hear(const Answer& answer, Time now) {
  if (!steward_) return;
  catch_up(now);
  steward_->answered(answer, effects_.at(now));
  if (auto until = steward_->lease_until()) world_.show_lease(*until, lease_length());
  clients_.lock_delay_recorded(now);
}

void Node::register_changed(Time now) {
  if (!steward_) return;
  catch_up(now);
  steward_->watched(effects_.at(now));
}

void Node::register_trouble(const std::string& why) {
  trouble_ = why;
  if (why.empty()) return log("the register can be used again", LogLevel::info);
  log(why);
}

// Clients.

void Node::client_said(ClientId client, std::string_view payload, Time now) {
  if (steward_) return clients_.said(client, payload, now);
  dismiss(client);  // It is not in the group yet.
}

void Node::client_left(ClientId client, Time now) {
  clients_.left(client, now);
  inquiries_.left(client, now);
  claim_survey_.left(client);
}

}  // namespace conch::node
