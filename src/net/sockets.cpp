#include "net/sockets.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <conch/error.hpp>

#include "net/open_files.hpp"
#include "net/stream_connection.hpp"

namespace conch::net {

namespace {

/// After accepting this many connections, other events get their turn.
constexpr int accepted_at_once_max = 16;
constexpr Duration closed_listeners = std::chrono::milliseconds(200);

const char* const too_many_files = "the process has too many open files; raise `ulimit -n`";

wire::Room room_left(int descriptor) {
  OpenFiles files = OpenFiles::of_process();
  if (files.is_kept_for_register(descriptor)) return wire::Room::none;
  return files.is_kept_from_clients(descriptor) ? wire::Room::scarce : wire::Room::ample;
}

}  // namespace

Sockets::Sockets(SocketsOptions options)
    : options_(std::move(options)),
      tls_(options_.tls.enabled() ? std::make_unique<TlsContext>(options_.tls) : nullptr),
      listeners_(options_, Poller::first_free),
      next_serial_(Poller::first_free + listeners_.listeners().size()) {
  for (const Listeners::Listener& listener : listeners_.listeners())
    poller_.add(listener.socket.number(), listener.serial, EPOLLIN);
}

Sockets::~Sockets() {
  for (auto& [serial, connection] : connections_) connection.socket.close();
}

Sockets::Connection* Sockets::find(Serial serial) {
  auto found = connections_.find(serial);
  return found == connections_.end() ? nullptr : &found->second;
}

Sockets::Connection& Sockets::add(Socket socket, bool is_connected) {
  Serial serial = next_serial_++;
  Connection& connection = connections_[serial];
  connection = {.serial = serial,
                .socket = std::move(socket),
                .stage = is_connected ? Connection::Stage::open : Connection::Stage::connecting,
                .events = is_connected ? EPOLLIN : EPOLLIN | EPOLLOUT};
  close_on_fork(connection.socket.number());
  poller_.add(connection.socket.number(), serial, connection.events);
  return connection;
}

void Sockets::watch(Connection& connection, std::uint32_t events) {
  if (std::exchange(connection.events, events) != events)
    poller_.change(connection.socket.number(), connection.serial, events);
}

void Sockets::close(Serial serial) {
  auto found = connections_.find(serial);
  poller_.remove(found->second.socket.number());
  found->second.socket.close();
  connections_.erase(found);
}

void Sockets::hand_over(const wire::Connection& connection, const PeerInstance& from) {
  auto found = connections_.find(connection.serial);
  poller_.remove(found->second.socket.number());
  Socket socket = std::move(found->second.socket);
  connections_.erase(found);
  std::string whom = wire::describe(from) + " at " + connection.whom;
  options_.stream_came(from, Stream(std::make_unique<Stream::Connection>(
                                 std::move(socket), connection.route, std::move(whom))));
}

// Accepting and dialing.

void Sockets::accept(const Listeners::Listener& listener, wire::Channels& channels) {
  for (int i = 0; i < accepted_at_once_max; ++i) {
    int socket =
        ::accept4(listener.socket.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    bool none_left = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (socket < 0 && none_left) return close_listeners(channels);
    if (socket < 0) return;
    take_in(Descriptor(socket), listener.route, channels);
  }
}

void Sockets::take_in(Descriptor socket, wire::Route route, wire::Channels& channels) {
  int number = socket.number();
  bool is_local = route == wire::Route::local;
  if (!is_local) prepare_tcp(number);
  wire::Caller caller{.route = route,
                      .whom = describe_other_end(number),
                      .is_connected = !wants_tls(route),
                      .is_own_user = !is_local || is_of_same_user(number),
                      .room = room_left(number)};
  Connection& connection = add(Socket(std::move(socket)), true);
  caller.serial = connection.serial;
  if (!caller.is_connected) {
    connection.stage = Connection::Stage::securing;
    connection.socket.begin_tls(tls_->accept(number));
  }
  channels.accepted(caller, steady_now());
}

/// A connection in the old socket's backlog is lost; its client tries again.
void Sockets::listen_again() {
  Descriptor before = listeners_.listen_again();
  poller_.remove(before.number());
  const Listeners::Listener& listener = listeners_.listeners().front();
  poller_.add(listener.socket.number(), listener.serial, EPOLLIN);
}

/// Stops watching the listeners: their events would keep firing while no connection can be
/// accepted.
void Sockets::close_listeners(wire::Channels& channels) {
  Time now = steady_now();
  std::string line =
      "the process has no more file descriptors, so nobody can connect; raise `ulimit -n`";
  channels.complain(line, line, now);
  for (const Listeners::Listener& listener : listeners_.listeners())
    poller_.change(listener.socket.number(), listener.serial, 0);
  listeners_open_at_ = now + closed_listeners;
}

void Sockets::open_listeners() {
  listeners_open_at_ = Time::max();
  for (const Listeners::Listener& listener : listeners_.listeners())
    poller_.change(listener.socket.number(), listener.serial, EPOLLIN);
}

/// Each attempt tries the next way of the address; after all of them, the next number of each host
/// name.
wire::Network::Dialed Sockets::dial(const std::string& address, unsigned attempt) {
  wire::Ways ways = wire::usable(parse_ways(address), here_, options_.tcp_only);
  if (ways.empty()) return {{}, "none of its addresses can be reached from here"};
  auto count = static_cast<unsigned>(ways.size());
  const wire::Way& way = ways[attempt % count];
  net::Dialed dialed = net::dial(way, attempt / count);
  if (!dialed.socket) return {{}, dialed.error};
  if (room_left(dialed.socket.number()) == wire::Room::none) return {{}, too_many_files};
  bool is_local = std::holds_alternative<wire::UnixWay>(way);
  wire::Route route = is_local ? wire::Route::local : wire::Route::remote;
  bool is_ready = dialed.connected && !wants_tls(route);
  Connection& connection = add(Socket(std::move(dialed.socket)), is_ready);
  return {{.serial = connection.serial,
           .route = route,
           .whom = wire::print(way),
           .is_connected = is_ready}};
}

// Sending.

void Sockets::enclose(ClientId client, std::vector<Descriptor> descriptors) {
  if (Connection* connection = find(static_cast<Serial>(client)))
    connection->enclosed.push_back(std::move(descriptors));
}

wire::Network::Taken Sockets::write(Serial serial, std::string_view bytes, bool encloses) {
  Connection& connection = *find(serial);
  std::vector<int> enclosed;
  if (encloses)
    for (const Descriptor& each : connection.enclosed.front()) enclosed.push_back(each.number());
  IoResult sent =
      enclosed.empty() ? connection.socket.send(bytes) : connection.socket.send(bytes, enclosed);
  if (sent.flow == Flow::ended) return {0, true, {}};
  if (sent.flow == Flow::failed) return {0, true, sent.why};
  std::size_t taken = sent.flow == Flow::moved ? sent.bytes : 0;
  if (encloses && taken > 0) connection.enclosed.pop_front();
  watch(connection, taken < bytes.size() ? EPOLLIN | EPOLLOUT : EPOLLIN);
  return {taken};
}

ClientProcess Sockets::process_of(ClientId client) const {
  auto found = connections_.find(static_cast<Serial>(client));
  ucred who{};
  socklen_t size = sizeof who;
  bool known =
      found != connections_.end() &&
      ::getsockopt(found->second.socket.number(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
  if (!known) return {};
  return {static_cast<std::uint64_t>(std::max(who.pid, 0)), who.uid};
}

// Events.

void Sockets::work(const Readiness& ready, wire::Channels& channels) {
  for (int i = 0; i < ready.count; ++i) {
    const epoll_event& event = ready.events[static_cast<std::size_t>(i)];
    serve(event.data.u64, event.events, channels);
  }
  if (listeners_open_at_ != Time::max() && listeners_open_at_ <= steady_now()) open_listeners();
}

void Sockets::serve(Serial serial, std::uint32_t events, wire::Channels& channels) {
  if (serial == Poller::bell) return poller_.silence();
  for (const Listeners::Listener& listener : listeners_.listeners())
    if (listener.serial == serial) return accept(listener, channels);
  Connection* connection = find(serial);
  if (!connection) return;
  if (connection->stage != Connection::Stage::open)
    return go_on_connecting(*connection, events, channels);
  if ((events & EPOLLOUT) != 0) {
    watch(*connection, EPOLLIN);
    channels.writable(serial, steady_now());
    connection = find(serial);
  }
  // A read also reports errors.
  if (connection && (events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0)
    read(*connection, channels);
}

void Sockets::go_on_connecting(Connection& connection, std::uint32_t events,
                               wire::Channels& channels) {
  if (connection.stage == Connection::Stage::securing) return secure(connection, channels);
  if ((events & ~static_cast<std::uint32_t>(EPOLLIN)) == 0) return;
  std::string error = connection_error(connection.socket.number());
  if (!error.empty()) return channels.ended(connection.serial, error, steady_now());
  if (tls_) {
    connection.socket.begin_tls(tls_->dial(connection.socket.number()));
    connection.stage = Connection::Stage::securing;
    return secure(connection, channels);
  }
  connection.stage = Connection::Stage::open;
  channels.connected(connection.serial, steady_now());
}

void Sockets::secure(Connection& connection, wire::Channels& channels) {
  IoResult done = connection.socket.secure();
  if (done.flow == Flow::later)
    return watch(connection, connection.socket.wants_to_write() ? EPOLLIN | EPOLLOUT : EPOLLIN);
  if (done.flow != Flow::moved) return channels.ended(connection.serial, done.why, steady_now());
  connection.stage = Connection::Stage::open;
  watch(connection, EPOLLIN);
  channels.connected(connection.serial, steady_now());
}

/// Reads once, so that other connections get their turn; if there is more, epoll reports it again.
void Sockets::read(Connection& connection, wire::Channels& channels) {
  IoResult got = connection.socket.receive(buffer_.get(), buffer_bytes);
  if (got.flow == Flow::later) return;
  if (got.flow == Flow::moved)
    return channels.brought(connection.serial, {buffer_.get(), got.bytes}, steady_now());
  channels.ended(connection.serial, got.flow == Flow::ended ? "" : got.why, steady_now());
}

}  // namespace conch::net
