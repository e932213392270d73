#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "net/open_files.hpp"
#include "net/post.hpp"

namespace conch::net {

namespace {

/// After so many, others have their turn.
constexpr int accepted_at_once_max = 16;
constexpr Duration closed_doors = std::chrono::milliseconds(200);

bool is_kept_for_register(int descriptor) {
  return OpenFiles::of_process().is_kept_for_register(descriptor);
}

}  // namespace

Connection* Courier::Post::find(Serial serial) {
  auto found = connections_.find(serial);
  return found == connections_.end() ? nullptr : found->second.get();
}

Connection& Courier::Post::enroll(Connection connection, std::uint32_t events) {
  connection.serial = next_serial_++;
  close_on_fork(connection.socket.number());
  poller_.add(connection.socket.number(), connection.serial, events);
  connection.waits_to_write = (events & EPOLLOUT) != 0;
  wake_by(connection.deadline);
  auto& place = connections_[connection.serial];
  place = std::make_unique<Connection>(std::move(connection));
  return *place;
}

// They come.

void Courier::Post::accept(const Reception::Door& door, Time now) {
  for (int i = 0; i < accepted_at_once_max; ++i) {
    int socket = ::accept4(door.socket.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    bool none_left = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (socket < 0 && none_left) return close_doors(now);
    if (socket < 0) return;
    take_in(Descriptor(socket), door.route, now);
  }
}

void Courier::Post::take_in(Descriptor socket, wire::Route route, Time now) {
  bool is_crowded = half_open_.size() >= wire::half_open_max ||
                    (!half_open_.empty() && is_kept_for_register(socket.number()));
  if (is_crowded) drop(*find(*half_open_.begin()), "others came before it had said who it is");
  bool is_local = route == wire::Route::local;
  if (!is_local) prepare_tcp(socket.number());
  std::string whom = describe_other_end(socket.number());
  Connection& connection = enroll({.socket = Socket(std::move(socket)),
                                   .route = route,
                                   .whom = std::move(whom),
                                   .purpose = Unknown{},
                                   .deadline = now + wire::handshake_patience},
                                  EPOLLIN);
  half_open_.insert(connection.serial);
  if (is_local && !is_of_same_user(connection.socket.number()))
    return refuse(connection, "the Unix socket is for processes of the same user only");
  connected(connection);
}

/// A connection that was about to be accepted at the old socket is lost; its client tries again.
void Courier::Post::listen_again() {
  Descriptor before = reception_.listen_again();
  poller_.remove(before.number());
  const Reception::Door& door = reception_.doors().front();
  poller_.add(door.socket.number(), door.serial, EPOLLIN);
}

/// The doors would go on ringing, and nobody could be let in.
void Courier::Post::close_doors(Time now) {
  std::string line =
      "the process has no more file descriptors, so nobody can connect; raise `ulimit -n`";
  complain(line, line);
  for (const Reception::Door& door : reception_.doors())
    poller_.change(door.socket.number(), door.serial, 0);
  doors_open_at_ = now + closed_doors;
  wake_by(doors_open_at_);
}

void Courier::Post::open_doors(Time now) {
  if (now < doors_open_at_) return wake_by(doors_open_at_);
  doors_open_at_ = Time::max();
  for (const Reception::Door& door : reception_.doors())
    poller_.change(door.socket.number(), door.serial, EPOLLIN);
}

void Courier::Post::dial(Correspondent& to, Time now) {
  to.to = dial(to.address, to.redial, Sending{&to}, now);
  if (to.to) connected(*to.to);
}

void Courier::Post::dial(Contact& whom, Time now) {
  whom.connection = dial(whom.address, whom.redial, Asking{&whom}, now);
  if (whom.connection) connected(*whom.connection);
}

/// After a dead end the next way is taken; after all of them, the next number of a name.
Connection* Courier::Post::dial(const std::string& address, Redial& redial, Purpose purpose,
                                Time now) {
  wire::Ways ways = wire::usable(parse_ways(address), here_, options_.tcp_only);
  Dialed dialed;
  dialed.error = "none of its addresses leads there from here";
  const wire::Way* way = nullptr;
  if (!ways.empty()) {
    auto count = static_cast<unsigned>(ways.size());
    way = &ways[redial.dead_ends % count];
    dialed = net::dial(*way, redial.dead_ends / count);
    if (is_kept_for_register(dialed.socket.number()))
      dialed = {{}, false, "the process has too many open files; raise `ulimit -n`"};
  }
  if (!dialed.socket) {
    redial.failed(now);
    wake_by(redial.not_before);
    if (redial.failures == 1) log("cannot reach " + address + ": " + dialed.error);
    return nullptr;
  }
  bool is_local = std::holds_alternative<wire::UnixWay>(*way);
  return &enroll({.socket = Socket(std::move(dialed.socket)),
                  .route = is_local ? wire::Route::local : wire::Route::remote,
                  .whom = wire::print(*way),
                  .dialed = true,
                  .purpose = purpose,
                  .stage = dialed.connected ? Stage::greeting : Stage::connecting,
                  .deadline = now + wire::handshake_patience},
                 dialed.connected ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

// They go.

/// Whoever has it on the stack sees that its socket is closed.
void Courier::Post::close(Connection& connection) {
  if (!connection.socket.is_open()) return;
  release(connection).close();
  Time now = recipient_ ? now_ : steady_now();
  if (auto* sending = connection.as<Sending>()) {
    Correspondent& to = *sending->to;
    to.to = nullptr;
    Duration longest = connection.was_refused ? longest_refusal : longest_silence;
    connection.stage == Stage::open ? to.redial.lost(now) : to.redial.failed(now, longest);
    if (to.wants_connection()) wake_by(to.redial.not_before);
  } else if (auto* receiving = connection.as<Receiving>()) {
    Correspondent& from = *receiving->from;
    from.from = nullptr;
    if (std::exchange(from.sends_back, false)) from.redial.lost(now);
    if (from.wants_connection()) wake_by(from.redial.not_before);
  } else if (auto* asking = connection.as<Asking>()) {
    asking->whom->connection = nullptr;
    asking->whom->redial.failed(now);
    wake_by(asking->whom->redial.not_before);
  } else if (auto* serving = connection.as<Serving>()) {
    --clients_;
    report(Left{serving->client});
  }
}

/// From here on it is no connection of ours.
Socket Courier::Post::release(Connection& connection) {
  poller_.remove(connection.socket.number());
  half_open_.erase(connection.serial);
  auto place = connections_.find(connection.serial);
  closed_.push_back(std::move(place->second));
  connections_.erase(place);
  return std::move(connection.socket);
}

/// It has gone, or could not be reached: that happens. Who hangs up has left, or will be dialed
/// again: that is no news.
void Courier::Post::part(Connection& connection, const std::string& why) {
  if (auto* sending = connection.as<Sending>()) {
    bool unreachable = connection.stage != Stage::open && sending->to->redial.failures == 0;
    if (unreachable)
      log("cannot reach " + wire::describe(sending->to->life) + " at " + connection.whom + ": " +
          why);
  } else if (auto* asking = connection.as<Asking>()) {
    if (asking->whom->redial.failures == 0) log("cannot reach " + connection.whom + ": " + why);
  } else if (connection.as<Unknown>()) {
    return drop(connection, why);
  }
  close(connection);
}

/// It has done something that nobody of us does.
void Courier::Post::drop(Connection& connection, const std::string& why) {
  complain("dropped the connection with", connection, why);
  close(connection);
}

void Courier::Post::refuse(Connection& connection, const std::string& why) {
  complain("refused", connection, why);
  wire::put_refusal(connection.backlog.bytes(), why);
  leave(connection);
}

/// Closes it when it has taken what it was told.
void Courier::Post::leave(Connection& connection) {
  Time now = recipient_ ? now_ : steady_now();
  if (auto* serving = connection.as<Serving>()) {
    --clients_;
    report(Left{serving->client});
  }
  half_open_.erase(connection.serial);
  connection.purpose = Leaving{};
  connection.deadline = now + wire::handshake_patience;
  wake_by(connection.deadline);
  if (write(connection) && connection.backlog.unwritten().empty()) close(connection);
}

// They take what they are given.

/// What is the connection's own, then its channel's, but first the rest of a frame of that. False
/// if it had to be closed.
bool Courier::Post::write(Connection& connection) {
  Correspondent* other = connection.correspondent();
  bool may_send = other && other->outlet() == &connection && connection.stage == Stage::open;
  if (may_send && other->outgoing.is_inside()) {
    if (!write_from(connection, other->outgoing)) return false;
    if (other->outgoing.is_inside()) return true;
  }
  do {
    if (!write_from(connection, connection.backlog)) return false;
  } while (!connection.waits_to_write && connection.backlog.size() > 0);
  return !may_send || connection.waits_to_write || write_from(connection, other->outgoing);
}

template <class Source>
bool Courier::Post::write_from(Connection& connection, Source& source) {
  std::string_view bytes = source.unwritten();
  if (bytes.empty()) return wait_to_write(connection, false), true;
  std::vector<int> enclosed;
  if constexpr (std::is_same_v<Source, Backlog>) enclosed = source.descriptors();
  Transfer sent =
      enclosed.empty() ? connection.socket.send(bytes) : connection.socket.send(bytes, enclosed);
  if (sent.flow == Flow::moved) {
    counts_.bytes_sent += sent.bytes;
    source.wrote(sent.bytes);
  } else if (sent.flow != Flow::later) {
    part(connection, sent.flow == Flow::ended ? "it has hung up" : sent.why);
    return false;
  }
  wait_to_write(connection, sent.bytes < bytes.size());
  return true;
}

void Courier::Post::wait_to_write(Connection& connection, bool waits) {
  if (connection.waits_to_write == waits) return;
  connection.waits_to_write = waits;
  std::uint32_t events = waits ? EPOLLIN | EPOLLOUT : EPOLLIN;
  poller_.change(connection.socket.number(), connection.serial, events);
}

}  // namespace conch::net
