// Takes what other peers, the register and clients say.
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

bool Node::send(const PeerInstance& to, std::string_view payload) {
  if (!channels_.send(to, payload)) return false;
  tell([&](Observer& observer) { observer.said(to, payload); });
  return true;
}

void Node::delivered(const PeerInstance& from, std::string_view payload, Time now) {
  if (payload.empty()) return;
  tell([&](Observer& observer) { observer.heard(from, payload); });
  auto kind = static_cast<PayloadKind>(payload.front());
  std::string_view body = payload.substr(1);
  PayloadKind own = is_ring() ? PayloadKind::overlay : PayloadKind::recovery;
  if (kind != own) return take_other_payload(from, kind, body, now);
  bool understood = group_member_ && !broken_;
  if (understood) catch_up(now);
  Intake intake;
  if (understood) intake = group_member_->receive(from, body, effects_.at(now));
  bool is_readable = intake.fault.empty() || intake.fatal || !intake.type.empty();
  if (!is_readable) return doubt(from, intake.fault, now);
  tell([&](Observer& observer) {
    std::string_view lock = intake.lock ? std::string_view(*intake.lock) : "";
    observer.received(from, {intake.type, lock, payload.size()});
  });
  if (!understood) return;
  broken_ = intake.fatal;
  if (!intake.fault.empty()) return doubt(from, intake.fault, now);
  LocalLock* local_lock = intake.lock ? find_local_lock(*intake.lock) : nullptr;
  if (!local_lock) return;
  ++local_lock->traffic.messages_received;
  local_lock->traffic.bytes_received += payload.size();
  // The peer that readers were held back for may have given up.
  if (local_lock->queue.has_readers_in_line()) touch(*local_lock);
}

/// The peer has sent what no correct peer would send.
void Node::doubt(const PeerInstance& from, const std::string& why, Time now) {
  log("malformed message from peer " + in_hex(from.id.value) + ": " + why);
  if (group_member_ && !broken_) group_member_->suspect(from, effects_.at(now));
}

void Node::take_other_payload(const PeerInstance& from, PayloadKind kind, std::string_view body,
                              Time now) {
  // A peer has no life, and nothing to say about itself, before it knows the lease terms.
  if (!group_member_ && kind != PayloadKind::terms && kind != PayloadKind::terms_ask) return;
  std::string why;
  switch (kind) {
    case PayloadKind::recovery:
    case PayloadKind::overlay: break;
    case PayloadKind::register_ask:
      if (auto ask = unpacked<RegisterRequest>(body, why)) return ask_for(from, std::move(*ask));
      break;
    case PayloadKind::register_answer:
      if (auto answer = unpacked<RegisterAnswer>(body, why))
        return rely_on(from), hear(*answer, now);
      break;
    case PayloadKind::terms_ask:
      if (options_.has_register) send(from, packed(PayloadKind::terms, options_.terms));
      return;
    case PayloadKind::terms:
      if (auto terms = unpacked<LeaseTerms>(body, why)) return learn_terms(from, *terms);
      break;
    case PayloadKind::status_ask:
      if (auto ask = unpacked<StatusAsk>(body, why)) return status_survey_.asked(from, *ask, now);
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
      if (auto m = unpacked<Vacates>(body, why)) return status_survey_.told(from, *m, now);
      break;
    case PayloadKind::vacated:
      if (auto m = unpacked<Vacated>(body, why)) return status_survey_.told(from, *m, now);
      break;
    case PayloadKind::hurry:
      if (group_member_) group_member_->hold_fast(false);
      return;
    case PayloadKind::ping:
      if (auto ping = unpacked<Ping>(body, why)) return latency_probe_.pinged(from, *ping);
      break;
    case PayloadKind::pong:
      if (auto pong = unpacked<Pong>(body, why)) return latency_probe_.answered(from, *pong, now);
      break;
    case PayloadKind::distances:
      if (auto distances = unpacked<Distances>(body, why))
        return latency_probe_.told(from, *distances);
      break;
    case PayloadKind::status_part:
      if (auto part = unpacked<StatusPart>(body, why)) return status_survey_.told(from, *part, now);
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

void Node::broken(const PeerInstance& life, const std::string& why, Time now) {
  log("nothing reaches peer " + in_hex(life.id.value) + " any more: " + why);
  unreachable_.insert(life);
  std::erase(contacts_, life);
  if (!group_member_) return;  // That life is suspected once both are members.
  if (is_ring()) remember_neighbours();
  group_member_->suspect(life, effects_.at(now));
  // No neighbour is left: all have forgotten this peer, which was away for long.
  if (is_ring() && phase_ == PeerPhase::member && group_member_->view().roster.size() == 1)
    broken_ = true;
  // Without a lease nothing would end this life, and it would keep asking peers that have forgotten
  // it. A new life begins with new channels.
  bool asks_in_vain =
      !is_ring() && !options_.has_register && contacts_.empty() && !group_member_->lease_until();
  if (asks_in_vain) broken_ = true;
}

// The register, asked directly or through a contact.

/// Repeated until a contact has told the terms, because one that has answered may have died since.
void Node::seek(Time now) {
  next_housekeeping_ = now + seeking_period;
  // The peers that have the register may have lost their channel to this life, and cannot say so. A
  // new life begins with new channels.
  if (++seeks_ % vain_seeks_max == 0) {
    renew_life(now);
    world_.begin_life(life_);
  }
  for (const std::string& address : options_.join) channels_.contact(address);
}

/// Only a peer that can ask the register itself answers.
void Node::ask_terms(const PeerInstance& life) {
  send(life, packed(PayloadKind::terms_ask, TermsAsk{}));
}

void Node::learn_terms(const PeerInstance& from, const LeaseTerms& terms) {
  if (options_.has_register) return;
  if (std::find(contacts_.begin(), contacts_.end(), from) == contacts_.end()) {
    std::erase_if(contacts_, [&](const PeerInstance& each) { return each.id == from.id; });
    contacts_.push_back(from);
  }
  if (std::exchange(has_terms_, true)) return;
  options_.terms = terms;
  world_.phase_changed();
}

/// The contacts of the last life may have new lives themselves, and only the register could say so.
/// So this asks all known lives again, and those that are still there answer. Until one does there
/// are no contacts, so that the addresses in `join` are tried, too.
void Node::find_contacts_again(Time now) {
  contacts_.clear();
  contacts_sought_ = now;
  if (options_.has_register || is_ring()) return;
  for (const PeerInstance& life : known_lives_) ask_terms(life);
}

/// The contact that answered the last question gets the next one, too.
void Node::rely_on(const PeerInstance& contact) {
  auto found = std::find(contacts_.begin(), contacts_.end(), contact);
  if (found != contacts_.end()) contact_turn_ = static_cast<std::size_t>(found - contacts_.begin());
}

bool Node::knows_lock_delays(const PeerInstance& contact) const {
  return channels_.version_with(contact) >= claims_version;
}

/// Tries the next contact with each question until one answers, because a contact may have died.
/// Null if no contact understands the question: a peer of version 1 would reject a lock delay as
/// malformed, and evict this peer.
const PeerInstance* Node::next_contact(const RegisterRequest& ask) {
  bool is_delayed = std::holds_alternative<RenewDelayed>(ask.question);
  for (std::size_t tried = 0; tried < contacts_.size(); ++tried) {
    const PeerInstance& contact = contacts_[contact_turn_++ % contacts_.size()];
    if (!is_delayed || knows_lock_delays(contact)) return &contact;
  }
  return nullptr;
}

std::string Node::why_no_lock_delay() const {
  if (is_ring()) return "this group has no register to keep a lock delay in: leave it out";
  bool is_known = options_.has_register ||
                  std::any_of(contacts_.begin(), contacts_.end(),
                              [&](const PeerInstance& each) { return knows_lock_delays(each); });
  if (is_known) return "";
  return "the members that have the register run a release without lock delays: leave it out, or "
         "install this release there first";
}

void Node::put_question(RegisterRequest ask) {
  if (!observers_.empty()) tell_suspicions(ask);
  if (options_.has_register) return world_.ask(life_, std::move(ask));
  if (const PeerInstance* contact = next_contact(ask))
    send(*contact, packed(PayloadKind::register_ask, ask));
}

/// Tells observers which lives the proposal would expel, except this peer if it proposes to leave.
void Node::tell_suspicions(const RegisterRequest& ask) {
  const auto* propose = std::get_if<Propose>(&ask.question);
  if (!propose) return;
  for (const Member& member : group_member_->view().roster) {
    bool stays = propose->view.roster.contains(member.life());
    if (stays || member.life() == life_) continue;
    tell([&](Observer& observer) { observer.suspected(member.life()); });
  }
}

/// Asks the register for a peer of another machine, which may renew no lease but its own.
void Node::ask_for(const PeerInstance& asker, RegisterRequest ask) {
  const auto* renew = std::get_if<RenewLease>(&ask.question);
  const auto* delayed = std::get_if<RenewDelayed>(&ask.question);
  bool is_another = (renew && renew->life != asker) || (delayed && delayed->life != asker);
  bool announces = std::holds_alternative<AnnounceJoin>(ask.question) ||
                   std::holds_alternative<AnnounceLeave>(ask.question);
  if (!options_.has_register || is_another || announces) return;
  world_.ask(asker, std::move(ask));
}

void Node::answered(const PeerInstance& asker, const RegisterAnswer& answer, Time now) {
  if (asker == life_) return hear(answer, now);
  send(asker, packed(PayloadKind::register_answer, answer));
}

void Node::hear(const RegisterAnswer& answer, Time now) {
  if (!group_member_) return;
  catch_up(now);
  group_member_->answered(answer, effects_.at(now));
  if (auto until = group_member_->lease_until()) world_.show_lease(*until, lease_length());
  clients_.lock_delay_recorded(now);
}

void Node::register_changed(Time now) {
  if (!group_member_) return;
  catch_up(now);
  group_member_->watched(effects_.at(now));
}

void Node::register_trouble(const std::string& why) {
  trouble_ = why;
  if (why.empty()) return log("the register is available again", LogLevel::info);
  log(why);
}

// Clients.

void Node::client_said(ClientId client, std::string_view payload, Time now) {
  if (group_member_) return clients_.said(client, payload, now);
  dismiss(client);  // This peer is not in the group yet.
}

void Node::client_left(ClientId client, Time now) {
  clients_.left(client, now);
  status_survey_.left(client, now);
  claim_survey_.left(client);
}

}  // namespace conch::node
