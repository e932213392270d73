#include <conch/version.hpp>
#include <utility>
#include <variant>

#include "wire/channels.hpp"

namespace conch::wire {

/// Bytes can go over it.
void Channels::greet(Connection& connection) {
  connection.stage = Stage::greeting;
  if (connection.dialed) put_hello(connection.backlog.bytes(), hello_for(connection));
  write(connection);
}

Hello Channels::hello_for(const Connection& connection) const {
  Hello hello{.group = options_.identity.group, .algorithm = options_.identity.algorithm};
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

// The one that was dialed.

void Channels::take_hello(Connection& connection, const Frame& frame) {
  auto read = read_hello(frame);
  if (auto* refused = std::get_if<Refused>(&read)) return refuse(connection, refused->why);
  const Hello& hello = std::get<Hello>(read);
  std::string why = objection(hello, connection.route, options_.identity);
  if (!why.empty()) return refuse(connection, why);
  connection.version = common(hello.speaks, recovery::spoken()).value();
  if (connection.room == Room::none) return turn_away(connection, hello.role);
  switch (hello.role) {
    case Role::peer: return take_peer(connection, hello);
    case Role::client: return take_client(connection);
    case Role::stream: return take_stream(connection, hello.self);
    case Role::stranger: answer(connection); return leave(connection);
  }
}

/// A peer dials again, and soon, unless it is refused.
void Channels::turn_away(Connection& connection, Role role) {
  if (role != Role::client)
    return drop(connection, "the process has too many open files; raise `ulimit -n`");
  refuse(connection,
         "this peer serves " + std::to_string(clients_) +
             " clients already, as many as its limit of open files allows; raise `ulimit -n`");
}

/// A life has one connection to us: its newest, for it dials only when it has given up the former.
void Channels::take_peer(Connection& connection, const Hello& hello) {
  bool is_new = !correspondents_.contains(hello.self);
  if (is_new && correspondents_.size() >= lives_max)
    return refuse(connection,
                  "this peer has channels with " + std::to_string(lives_max) + " lives already");
  Correspondent& from = correspondent(hello.self);
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

/// While its hello was on its way, it may have received more over the connection that we had. If
/// the hello does not know of what we know, we dial: the answer to our hello is never too old.
bool Channels::may_send_back(Correspondent& to, const Hello& hello) {
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

/// Who takes it over reads its bytes from the first, so none may have been read here; and it must
/// not wait for our answer while we wait for it to take that.
void Channels::take_stream(Connection& connection, const Life& from) {
  FrameReader& reader = connection.reader;
  bool has_gone_on = reader.next() || !reader.ok() || reader.is_inside();
  if (has_gone_on) return drop(connection, "it did not wait for the answer to its hello");
  answer(connection);
  if (!write(connection)) return;
  if (!connection.backlog.unwritten().empty())
    return drop(connection, "it does not take the answer to its hello");
  network_.hand_over(connection, from);
  release(connection);
}

void Channels::answer(Connection& connection, bool known, std::uint64_t received) {
  put_answer(connection.backlog.bytes(),
             {options_.identity.self, options_.identity.algorithm, options_.address, known,
              received, connection.version, std::string(version())});
}

// The one that has dialed.

void Channels::take_answer(Connection& connection, const Frame& frame) {
  auto read = read_answer(frame);
  std::string why;
  if (auto* refused = std::get_if<Refused>(&read)) {
    why = refused->why;
  } else {
    why = objection(std::get<Accepted>(read), hello_for(connection));
  }
  if (!why.empty()) {
    complain("refused by", connection, why);
    connection.was_refused = true;
    return close(connection);
  }
  const Accepted& accepted = std::get<Accepted>(read);
  if (auto* sending = connection.as<Sending>())
    return begin_sending(connection, *sending->to, accepted);
  std::string address = connection.as<Asking>()->whom->address;
  close(connection);
  contacts_.erase(address);
  if (!accepted.address.empty()) know(accepted.self, accepted.address);
  recipient_.contacted(address, accepted.self, now_);
}

void Channels::begin_sending(Connection& connection, Correspondent& to, const Accepted& accepted) {
  to.was_accepted = true;
  to.version = accepted.version;
  if (!resume(to, accepted.known, accepted.received)) return;
  to.accepted_us = true;
  open(connection);
}

/// Over a new connection our payloads go on after what has come. False if the channel is broken.
bool Channels::resume(Correspondent& to, bool known, std::uint64_t received) {
  std::uint64_t acknowledged = to.outgoing.acknowledged();
  bool has_forgotten = to.accepted_us && !known;
  if (has_forgotten || received < acknowledged)
    return break_channel(to, "it has forgotten what it had received"), false;
  if (!to.outgoing.resume(received))
    return break_channel(to, "it says that it has received " + std::to_string(received) +
                                 " payloads, which is more than it was sent"),
           false;
  if (received > acknowledged) {
    to.redial = {};
    to.waits_since = now_;
  }
  return true;
}

/// Both sides know each other.
void Channels::open(Connection& connection) {
  half_open_.erase(connection.serial);
  connection.stage = Stage::open;
  connection.deadline = Time::max();
  connection.reader.allow(frame_bytes_max);
  write(connection);
}

}  // namespace conch::wire
