#include <conch/version.hpp>
#include <utility>
#include <variant>

#include "wire/channels.hpp"

namespace conch::wire {

/// The connection can take bytes now.
void Channels::greet(Connection& connection) {
  connection.stage = ConnectionStage::greeting;
  if (connection.dialed) put_hello(connection.backlog.bytes(), hello_for(connection));
  write(connection);
}

Hello Channels::hello_for(const Connection& connection) const {
  Hello hello{.speaks = options_.identity.speaks,
              .group = options_.identity.group,
              .algorithm = options_.identity.algorithm};
  if (const auto* sending = std::get_if<Sending>(&connection.purpose)) {
    hello.role = Role::peer;
    hello.self = options_.identity.self;
    hello.address = options_.address;
    hello.means = sending->to->life;
    hello.first = sending->to->outgoing.acknowledged();
    hello.known = sending->to->was_accepted;
    hello.received = sending->to->incoming.received();
  }
  return hello;
}

// The side that was dialed.

void Channels::take_hello(Connection& connection, const Frame& frame) {
  auto read = read_hello(frame, options_.identity.speaks);
  if (auto* refused = std::get_if<HelloRefused>(&read)) return refuse(connection, refused->why);
  const Hello& hello = std::get<Hello>(read);
  std::string why = objection(hello, connection.route, options_.identity);
  if (!why.empty()) return refuse(connection, why);
  connection.version = common(hello.speaks, options_.identity.speaks).value();
  if (connection.room == Room::none) return turn_away(connection, hello.role);
  switch (hello.role) {
    case Role::peer: return take_peer(connection, hello);
    case Role::client: return take_client(connection);
    case Role::stream: return take_stream(connection, hello.self);
    case Role::stranger: answer(connection); return leave(connection);
  }
}

/// A peer dials again soon, but not if it is refused; so it is dropped instead.
void Channels::turn_away(Connection& connection, Role role) {
  if (role != Role::client)
    return drop(connection, "the process has too many open files; raise `ulimit -n`");
  refuse(connection,
         "this peer serves " + std::to_string(clients_) +
             " clients already, as many as its limit of open files allows; raise `ulimit -n`");
}

/// A life has one connection to us, its newest, because it dials only after it gave up the former.
void Channels::take_peer(Connection& connection, const Hello& hello) {
  bool is_new = !channels_.contains(hello.self);
  if (is_new && channels_.size() >= lives_max)
    return refuse(connection,
                  "this peer has channels with " + std::to_string(lives_max) + " lives already");
  PeerChannel& from = channel(hello.self);
  if (from.from) close(*from.from);
  if (from.address.empty()) know(hello.self, hello.address);
  from.from = &connection;
  from.version = connection.version;
  connection.purpose = Receiving{&from};
  connection.whom = describe(hello.self) + " at " + connection.whom;
  from.incoming.was_acknowledged();
  answer(connection, std::exchange(from.was_accepted, true), from.incoming.received());
  if (!from.to && !from.broken) from.sends_back = may_send_back(from, hello);
  if (from.wants_connection()) wake_by(at_once);
  open(connection);
}

/// While its hello was on its way, the peer may have received more over the connection before. If
/// the hello knows less than we do, we dial instead: the answer to our own hello is never outdated.
bool Channels::may_send_back(PeerChannel& to, const Hello& hello) {
  bool is_old = (to.accepted_us && !hello.known) || hello.received < to.outgoing.acknowledged();
  return !is_old && resume(to, hello.known, hello.received);
}

void Channels::take_client(Connection& connection) {
  if (clients_ >= clients_max)
    return refuse(connection, "this peer has " + std::to_string(clients_max) + " clients already");
  ++clients_;
  ClientId client{connection.serial};
  connection.purpose = Serving{client};
  answer(connection);
  recipient_.client_came(client);
  if (connection.as<Serving>()) open(connection);
}

/// The new owner of the stream reads from its first byte, so nothing after the hello may have been
/// read here. The answer has to be written at once, as nobody waits here to write its rest.
void Channels::take_stream(Connection& connection, const PeerInstance& from) {
  FrameReader& reader = connection.reader;
  bool has_gone_on = reader.next() || !reader.ok() || reader.is_inside();
  if (has_gone_on) return drop(connection, "it did not wait for the answer to its hello");
  answer(connection);
  if (!write(connection)) return;
  if (!connection.backlog.unwritten().empty())
    return drop(connection, "it does not read the answer to its hello");
  network_.hand_over(connection, from);
  release(connection);
}

void Channels::answer(Connection& connection, bool known, std::uint64_t received) {
  put_answer(connection.backlog.bytes(),
             {options_.identity.self, options_.identity.algorithm, options_.address, known,
              received, connection.version, std::string(version())});
}

// The side that has dialed.

void Channels::take_answer(Connection& connection, const Frame& frame) {
  auto read = read_answer(frame);
  std::string why;
  if (auto* refused = std::get_if<HelloRefused>(&read)) {
    why = refused->why;
  } else {
    why = objection(std::get<HelloAccepted>(read), hello_for(connection));
  }
  if (!why.empty()) {
    complain("refused by", connection, why);
    connection.was_refused = true;
    return close(connection);
  }
  const HelloAccepted& accepted = std::get<HelloAccepted>(read);
  if (auto* sending = connection.as<Sending>())
    return begin_sending(connection, *sending->to, accepted);
  std::string address = connection.as<Asking>()->whom->address;
  close(connection);
  contacts_.erase(address);
  if (!accepted.address.empty()) know(accepted.self, accepted.address);
  recipient_.contacted(address, accepted.self, now_);
}

void Channels::begin_sending(Connection& connection, PeerChannel& to,
                             const HelloAccepted& accepted) {
  to.was_accepted = true;
  to.version = accepted.version;
  if (!resume(to, accepted.known, accepted.received)) return;
  to.accepted_us = true;
  open(connection);
}

/// On a new connection our payloads go on after what has come. False if the channel is broken.
bool Channels::resume(PeerChannel& to, bool known, std::uint64_t received) {
  std::uint64_t acknowledged = to.outgoing.acknowledged();
  bool has_forgotten = to.accepted_us && !known;
  if (has_forgotten || received < acknowledged)
    return break_channel(to, "it has forgotten what it had received"), false;
  if (!to.outgoing.resume(received))
    return break_channel(to, "it claims to have received " + std::to_string(received) +
                                 " payloads, more than it was sent"),
           false;
  if (received > acknowledged) {
    to.redial = {};
    to.waits_since = now_;
  }
  return true;
}

/// Both sides have accepted each other.
void Channels::open(Connection& connection) {
  half_open_.erase(connection.serial);
  connection.stage = ConnectionStage::open;
  connection.deadline = Time::max();
  connection.reader.allow(frame_bytes_max);
  write(connection);
}

}  // namespace conch::wire
