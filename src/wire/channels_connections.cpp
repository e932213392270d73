#include <algorithm>
#include <utility>

#include "wire/channels.hpp"

namespace conch::wire {

Connection* Channels::find(Serial serial) {
  auto found = connections_.find(serial);
  return found == connections_.end() ? nullptr : found->second.get();
}

const Connection* Channels::find(Serial serial) const {
  auto found = connections_.find(serial);
  return found == connections_.end() ? nullptr : found->second.get();
}

Connection& Channels::enroll(Connection connection) {
  wake_by(connection.deadline);
  auto& place = connections_[connection.serial];
  place = std::make_unique<Connection>(std::move(connection));
  return *place;
}

// Opening.

void Channels::accepted(const Caller& caller, Time now) {
  now_ = now;
  bool is_crowded =
      half_open_.size() >= half_open_max || (!half_open_.empty() && caller.room == Room::none);
  if (is_crowded)
    drop(*find(*half_open_.begin()), "others needed the place before it had identified itself");
  Connection& connection = enroll({.serial = caller.serial,
                                   .route = caller.route,
                                   .whom = caller.whom,
                                   .purpose = Unknown{},
                                   .stage = ConnectionStage::connecting,
                                   .room = caller.room,
                                   .deadline = now_ + handshake_patience});
  half_open_.insert(connection.serial);
  if (!caller.is_own_user)
    return refuse(connection, "the Unix socket is for processes of the same user only");
  if (caller.is_connected) greet(connection);
}

void Channels::connected(Serial serial, Time now) {
  now_ = now;
  if (Connection* connection = find(serial)) greet(*connection);
}

void Channels::dial(PeerChannel& to) {
  to.to = dial(to.address, to.redial, Sending{&to});
  if (to.to && to.to->stage == ConnectionStage::greeting) greet(*to.to);
}

void Channels::dial(Contact& whom) {
  whom.connection = dial(whom.address, whom.redial, Asking{&whom});
  if (whom.connection && whom.connection->stage == ConnectionStage::greeting)
    greet(*whom.connection);
}

Connection* Channels::dial(const std::string& address, Redial& redial, Purpose purpose) {
  auto [caller, error] = network_.dial(address, redial.dead_ends);
  if (caller.serial == 0) {
    redial.failed(now_);
    wake_by(redial.not_before);
    if (redial.failures == 1) network_.log("cannot reach " + address + ": " + error);
    return nullptr;
  }
  return &enroll(
      {.serial = caller.serial,
       .route = caller.route,
       .whom = std::move(caller.whom),
       .dialed = true,
       .purpose = purpose,
       .stage = caller.is_connected ? ConnectionStage::greeting : ConnectionStage::connecting,
       .deadline = now_ + handshake_patience});
}

// Closing.

/// Callers that still refer to the connection see that it is closed.
void Channels::close(Connection& connection) {
  if (connection.is_closed()) return;
  bool was_open = connection.is_open();
  network_.close(connection.serial);
  release(connection);
  PeerChannel* other = connection.channel();
  if (other && other->inlet == &connection) other->inlet = nullptr;
  if (auto* sending = connection.as<Sending>()) {
    PeerChannel& to = *sending->to;
    to.to = nullptr;
    Duration longest = connection.was_refused ? longest_refusal : longest_silence;
    was_open ? to.redial.lost(now_) : to.redial.failed(now_, longest);
    if (to.wants_connection()) wake_by(to.redial.not_before);
  } else if (auto* receiving = connection.as<Receiving>()) {
    PeerChannel& from = *receiving->from;
    from.from = nullptr;
    if (std::exchange(from.sends_back, false)) from.redial.lost(now_);
    if (from.wants_connection()) wake_by(from.redial.not_before);
  } else if (auto* asking = connection.as<Asking>()) {
    asking->whom->connection = nullptr;
    asking->whom->redial.failed(now_);
    wake_by(asking->whom->redial.not_before);
  } else if (auto* serving = connection.as<Serving>()) {
    --clients_;
    report(Left{serving->client});
  }
}

/// The connection no longer belongs to the channels.
void Channels::release(Connection& connection) {
  connection.stage = ConnectionStage::closed;
  half_open_.erase(connection.serial);
  auto place = connections_.find(connection.serial);
  closed_.push_back(std::move(place->second));
  connections_.erase(place);
}

void Channels::ended(Serial serial, const std::string& why, Time now) {
  now_ = now;
  Connection* connection = find(serial);
  if (!connection) return;
  if (why.empty() && connection->reader.is_inside())
    return drop(*connection, "it closed the connection inside a frame");
  part(*connection, why.empty() ? "it closed the connection" : why);
}

/// The connection has ended, or could not be made. Only the first failure to reach an address is
/// logged: a peer that hangs up has left, or is dialed again.
void Channels::part(Connection& connection, const std::string& why) {
  if (auto* sending = connection.as<Sending>()) {
    bool unreachable = !connection.is_open() && sending->to->redial.failures == 0;
    if (unreachable)
      network_.log("cannot reach " + describe(sending->to->life) + " at " + connection.whom + ": " +
                   why);
  } else if (auto* asking = connection.as<Asking>()) {
    if (asking->whom->redial.failures == 0)
      network_.log("cannot reach " + connection.whom + ": " + why);
  } else if (connection.as<Unknown>()) {
    return drop(connection, why);
  }
  close(connection);
}

/// The other side has done what no correct peer or client does.
void Channels::drop(Connection& connection, const std::string& why) {
  complain("dropped the connection with", connection, why);
  close(connection);
}

void Channels::refuse(Connection& connection, const std::string& why) {
  complain("refused", connection, why);
  put_refusal(connection.backlog.bytes(), why);
  leave(connection);
}

/// Closes the connection once it has taken what was written.
void Channels::leave(Connection& connection) {
  if (auto* serving = connection.as<Serving>()) {
    --clients_;
    report(Left{serving->client});
  }
  half_open_.erase(connection.serial);
  connection.purpose = Leaving{};
  connection.deadline = now_ + handshake_patience;
  wake_by(connection.deadline);
  if (write(connection) && connection.backlog.unwritten().empty()) close(connection);
}

// Writing.

void Channels::writable(Serial serial, Time now) {
  now_ = now;
  Connection* connection = find(serial);
  if (!connection) return;
  connection->waits_to_write = false;
  if (!write(*connection)) return;
  bool is_leaving = connection->as<Leaving>() != nullptr;
  if (is_leaving && connection->backlog.unwritten().empty()) close(*connection);
}

/// Writes the connection's backlog, then the payloads of its channel; but first the rest of a
/// payload frame that has begun. False if the connection had to be closed.
bool Channels::write(Connection& connection) {
  PeerChannel* other = connection.channel();
  bool may_send = other && other->outlet() == &connection && connection.is_open();
  if (may_send && other->outgoing.is_inside()) {
    if (!write_payloads(connection, other->outgoing)) return false;
    if (other->outgoing.is_inside()) return true;
  }
  while (!connection.waits_to_write && connection.backlog.size() > 0)
    if (!write_backlog(connection)) return false;
  return !may_send || connection.waits_to_write || write_payloads(connection, other->outgoing);
}

bool Channels::write_backlog(Connection& connection) {
  Backlog& backlog = connection.backlog;
  std::string_view bytes = backlog.unwritten();
  Network::Taken taken = network_.write(connection.serial, bytes, backlog.encloses());
  connection.waits_to_write = taken.bytes < bytes.size();
  backlog.wrote(taken.bytes);
  return take_up(connection, taken);
}

bool Channels::write_payloads(Connection& connection, Outgoing& outgoing) {
  std::string_view bytes = outgoing.unwritten();
  if (bytes.empty()) return true;
  Network::Taken taken = network_.write(connection.serial, bytes, false);
  connection.waits_to_write = taken.bytes < bytes.size();
  outgoing.wrote(taken.bytes);
  return take_up(connection, taken);
}

bool Channels::take_up(Connection& connection, const Network::Taken& taken) {
  counts_.bytes_sent += taken.bytes;
  if (taken.has_ended) part(connection, taken.why.empty() ? "it closed the connection" : taken.why);
  return !taken.has_ended;
}

// Reading.

void Channels::brought(Serial serial, std::string_view bytes, Time now) {
  now_ = now;
  Connection* connection = find(serial);
  if (!connection) return;
  counts_.bytes_received += bytes.size();
  connection->reader.feed(bytes);
  while (std::optional<Frame> frame = connection->reader.next()) {
    take(*connection, *frame);
    if (connection->is_closed()) return;
  }
  if (!connection->reader.ok()) return drop(*connection, connection->reader.error());
  if (PeerChannel* from = connection->channel())
    from->incoming.due() <= now_ ? acknowledge(*from) : wake_by(from->incoming.due());
}

void Channels::take(Connection& connection, const Frame& frame) {
  if (connection.as<Leaving>()) return;
  if (connection.stage == ConnectionStage::greeting)
    return connection.dialed ? take_answer(connection, frame) : take_hello(connection, frame);
  if (PeerChannel* other = connection.channel()) {
    if (frame.kind == FrameKind::payload) return take_payload(connection, *other, frame);
    if (frame.kind == FrameKind::acknowledgement)
      return take_acknowledgement(connection, *other, frame);
  }
  if (auto* serving = connection.as<Serving>(); serving && frame.kind == FrameKind::note) {
    ++counts_.frames_received;
    return recipient_.client_said(serving->client, frame.body, now_);
  }
  drop(connection, std::string(word(frame.kind)) + " is not expected here");
}

void Channels::take_payload(Connection& connection, PeerChannel& from, const Frame& frame) {
  from.inlet = &connection;
  // A peer dials only when it cannot send back over the connection that we dialed. So the other
  // connection is not from that peer, or the peer has given it up.
  if (connection.dialed && from.from) close(*from.from);
  if (from.incoming.is_known(frame.body, now_)) return;
  std::optional<std::string_view> payload = from.incoming.take(frame.body, now_);
  if (!payload) return drop(connection, "a payload arrived without the one before it");
  ++counts_.frames_received;
  PeerInstance life = from.life;  // the recipient may forget it
  recipient_.delivered(life, *payload, now_);
}

void Channels::take_acknowledgement(Connection& connection, PeerChannel& to, const Frame& frame) {
  std::optional<std::uint64_t> received = read_acknowledgement(frame.body);
  if (!received) return drop(connection, "malformed acknowledgement");
  if (to.outlet() != &connection) return;  // stale: the last handshake has told it, too
  std::uint64_t before = to.outgoing.acknowledged();
  if (!to.outgoing.acknowledge(*received))
    return break_channel(
        to, "it acknowledges " + std::to_string(*received) + " payloads, more than it was sent");
  to.accepted_us = true;
  if (*received == before) return;
  to.redial = {};
  to.waits_since = now_;
}

void Channels::acknowledge(PeerChannel& from) {
  Connection* inlet = from.inlet;
  if (!inlet) return from.incoming.was_acknowledged();  // the next handshake tells it
  from.incoming.acknowledge(inlet->backlog.bytes());
  if (!inlet->waits_to_write) write(*inlet);
}

}  // namespace conch::wire
