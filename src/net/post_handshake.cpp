#include <conch/version.hpp>
#include <utility>
#include <variant>

#include "net/open_files.hpp"
#include "net/post.hpp"
#include "net/stream_line.hpp"

namespace conch::net {

/// There is a stream, perhaps; or it is still being made.
void Courier::Post::connected(Connection& connection) {
  if (connection.stage == Stage::connecting) return;
  bool wants_tls = tls_ && connection.route == wire::Route::remote;
  if (!wants_tls) return greet(connection);
  int socket = connection.socket.number();
  connection.socket.begin_tls(connection.dialed ? tls_->dial(socket) : tls_->accept(socket));
  connection.stage = Stage::securing;
  secure(connection);
}

void Courier::Post::secure(Connection& connection) {
  Transfer done = connection.socket.secure();
  if (done.flow == Flow::moved) return greet(connection);
  if (done.flow == Flow::later)
    return wait_to_write(connection, connection.socket.wants_to_write());
  part(connection, done.flow == Flow::ended ? "it has hung up" : done.why);
}

void Courier::Post::greet(Connection& connection) {
  connection.stage = Stage::greeting;
  if (connection.dialed) wire::put_hello(connection.backlog.bytes(), hello_for(connection));
  write(connection);
}

wire::Hello Courier::Post::hello_for(const Connection& connection) const {
  wire::Hello hello{.group = options_.group, .algorithm = options_.algorithm};
  if (const auto* sending = std::get_if<Sending>(&connection.purpose)) {
    hello.role = wire::Role::peer;
    hello.self = options_.self;
    hello.address = reception_.address();
    hello.means = sending->to->life;
    hello.first = sending->to->outgoing.acknowledged();
    hello.known = sending->to->was_accepted;
    hello.received = sending->to->incoming.received();
  }
  return hello;
}

// The one that was dialed.

void Courier::Post::take_hello(Connection& connection, const wire::Frame& frame) {
  auto read = wire::read_hello(frame);
  if (auto* refused = std::get_if<wire::Refused>(&read)) return refuse(connection, refused->why);
  const wire::Hello& hello = std::get<wire::Hello>(read);
  std::string why = wire::objection(hello, connection.route, identity());
  if (!why.empty()) return refuse(connection, why);
  connection.version = common(hello.speaks, recovery::spoken()).value();
  int socket = connection.socket.number();
  if (OpenFiles::of_process().is_kept_for_register(socket))
    return turn_away(connection, hello.role);
  switch (hello.role) {
    case wire::Role::peer: return take_peer(connection, hello);
    case wire::Role::client: return take_client(connection);
    case wire::Role::stream: return take_stream(connection, hello.self);
    case wire::Role::stranger: answer(connection); return leave(connection);
  }
}

/// A peer dials again, and soon, unless it is refused.
void Courier::Post::turn_away(Connection& connection, wire::Role role) {
  if (role != wire::Role::client)
    return drop(connection, "the process has too many open files; raise `ulimit -n`");
  refuse(connection, "this peer serves " + std::to_string(clients_) +
                         " clients already, as many as its limit of open files allows; raise "
                         "`ulimit -n`");
}

/// A life has one connection to us: its newest, for it dials only when it has given up the former.
void Courier::Post::take_peer(Connection& connection, const wire::Hello& hello) {
  bool is_new = !correspondents_.contains(hello.self);
  if (is_new && correspondents_.size() >= wire::lives_max)
    return refuse(connection, "this peer has channels with " + std::to_string(wire::lives_max) +
                                  " lives already");
  Correspondent& from = correspondent(hello.self);
  if (from.from) close(*from.from);
  if (from.address.empty()) know(hello.self, hello.address);
  from.from = &connection;
  from.version = connection.version;
  connection.purpose = Receiving{&from};
  connection.whom = wire::describe(hello.self) + " at " + connection.whom;
  from.incoming.was_acknowledged();
  answer(connection, std::exchange(from.was_accepted, true), from.incoming.received());
  if (!from.to && !from.broken) from.sends_back = resume(from, hello.known, hello.received);
  open(connection);
}

void Courier::Post::take_client(Connection& connection) {
  if (clients_ >= wire::clients_max)
    return refuse(connection,
                  "this peer has " + std::to_string(wire::clients_max) + " clients already");
  ++clients_;
  ClientId client{connection.serial};
  connection.purpose = Serving{client};
  answer(connection);
  recipient_->client_came(client);
  if (connection.as<Serving>()) open(connection);
}

/// Who takes it over reads its bytes from the first, so none may have been read here; and it must
/// not wait for our answer while we wait for it to take that.
void Courier::Post::take_stream(Connection& connection, const Life& from) {
  wire::FrameReader& reader = connection.reader;
  bool has_gone_on = reader.next() || !reader.ok() || reader.is_inside();
  if (has_gone_on) return drop(connection, "it did not wait for the answer to its hello");
  answer(connection);
  if (!write(connection)) return;
  if (!connection.backlog.unwritten().empty())
    return drop(connection, "it does not take the answer to its hello");
  std::string whom = wire::describe(from) + " at " + connection.whom;
  Socket socket = release(connection);
  recipient_->stream_came(from, Stream(std::make_unique<Stream::Line>(
                                    std::move(socket), connection.route, std::move(whom))));
}

void Courier::Post::answer(Connection& connection, bool known, std::uint64_t received) {
  wire::put_answer(connection.backlog.bytes(),
                   {options_.self, options_.algorithm, reception_.address(), known, received,
                    connection.version, std::string(version())});
}

// The one that has dialed.

void Courier::Post::take_answer(Connection& connection, const wire::Frame& frame) {
  auto read = wire::read_answer(frame);
  std::string why;
  if (auto* refused = std::get_if<wire::Refused>(&read)) {
    why = refused->why;
  } else {
    why = wire::objection(std::get<wire::Accepted>(read), hello_for(connection));
  }
  if (!why.empty()) {
    complain("refused by", connection, why);
    connection.was_refused = true;
    return close(connection);
  }
  const wire::Accepted& accepted = std::get<wire::Accepted>(read);
  if (auto* sending = connection.as<Sending>())
    return begin_sending(connection, *sending->to, accepted);
  std::string address = connection.as<Asking>()->whom->address;
  close(connection);
  contacts_.erase(address);
  if (!accepted.address.empty()) know(accepted.self, accepted.address);
  recipient_->contacted(address, accepted.self);
}

void Courier::Post::begin_sending(Connection& connection, Correspondent& to,
                                  const wire::Accepted& accepted) {
  to.was_accepted = true;
  to.version = accepted.version;
  if (!resume(to, accepted.known, accepted.received)) return;
  to.accepted_us = true;
  open(connection);
}

/// Over a new connection our payloads go on after what has come. False if the channel is broken.
bool Courier::Post::resume(Correspondent& to, bool known, std::uint64_t received) {
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
void Courier::Post::open(Connection& connection) {
  half_open_.erase(connection.serial);
  connection.stage = Stage::open;
  connection.deadline = Time::max();
  connection.reader.allow(wire::frame_bytes_max);
  write(connection);
}

}  // namespace conch::net
