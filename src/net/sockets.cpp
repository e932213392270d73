#include "net/sockets.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <conch/error.hpp>

#include "net/open_files.hpp"
#include "net/stream_line.hpp"

namespace conch::net {

namespace {

/// After so many, others have their turn.
constexpr int accepted_at_once_max = 16;
constexpr Duration closed_doors = std::chrono::milliseconds(200);

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
      reception_(options_, Poller::first_free),
      next_serial_(Poller::first_free + reception_.doors().size()) {
  for (const Reception::Door& door : reception_.doors())
    poller_.add(door.socket.number(), door.serial, EPOLLIN);
}

Sockets::~Sockets() {
  for (auto& [serial, line] : lines_) line.socket.close();
}

Sockets::Line* Sockets::find(Serial serial) {
  auto found = lines_.find(serial);
  return found == lines_.end() ? nullptr : &found->second;
}

Sockets::Line& Sockets::add(Socket socket, bool is_connected) {
  Serial serial = next_serial_++;
  Line& line = lines_[serial];
  line = {.serial = serial,
          .socket = std::move(socket),
          .stage = is_connected ? Line::Stage::open : Line::Stage::connecting,
          .events = is_connected ? EPOLLIN : EPOLLIN | EPOLLOUT};
  close_on_fork(line.socket.number());
  poller_.add(line.socket.number(), serial, line.events);
  return line;
}

void Sockets::watch(Line& line, std::uint32_t events) {
  if (std::exchange(line.events, events) != events)
    poller_.change(line.socket.number(), line.serial, events);
}

void Sockets::close(Serial serial) {
  auto found = lines_.find(serial);
  poller_.remove(found->second.socket.number());
  found->second.socket.close();
  lines_.erase(found);
}

void Sockets::hand_over(const wire::Connection& connection, const Life& from) {
  auto found = lines_.find(connection.serial);
  poller_.remove(found->second.socket.number());
  Socket socket = std::move(found->second.socket);
  lines_.erase(found);
  std::string whom = wire::describe(from) + " at " + connection.whom;
  options_.stream_came(from, Stream(std::make_unique<Stream::Line>(
                                 std::move(socket), connection.route, std::move(whom))));
}

// They come.

void Sockets::accept(const Reception::Door& door, wire::Channels& channels) {
  for (int i = 0; i < accepted_at_once_max; ++i) {
    int socket = ::accept4(door.socket.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    bool none_left = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (socket < 0 && none_left) return close_doors(channels);
    if (socket < 0) return;
    take_in(Descriptor(socket), door.route, channels);
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
  Line& line = add(Socket(std::move(socket)), true);
  caller.serial = line.serial;
  if (!caller.is_connected) {
    line.stage = Line::Stage::securing;
    line.socket.begin_tls(tls_->accept(number));
  }
  channels.accepted(caller, steady_now());
}

/// A connection that was about to be accepted at the old socket is lost; its client tries again.
void Sockets::listen_again() {
  Descriptor before = reception_.listen_again();
  poller_.remove(before.number());
  const Reception::Door& door = reception_.doors().front();
  poller_.add(door.socket.number(), door.serial, EPOLLIN);
}

/// The doors would go on ringing, and nobody could be let in.
void Sockets::close_doors(wire::Channels& channels) {
  Time now = steady_now();
  std::string line =
      "the process has no more file descriptors, so nobody can connect; raise `ulimit -n`";
  channels.complain(line, line, now);
  for (const Reception::Door& door : reception_.doors())
    poller_.change(door.socket.number(), door.serial, 0);
  doors_open_at_ = now + closed_doors;
}

void Sockets::open_doors() {
  doors_open_at_ = Time::max();
  for (const Reception::Door& door : reception_.doors())
    poller_.change(door.socket.number(), door.serial, EPOLLIN);
}

/// After a dead end the next way is taken; after all of them, the next number of a name.
wire::Network::Dialed Sockets::dial(const std::string& address, unsigned attempt) {
  wire::Ways ways = wire::usable(parse_ways(address), here_, options_.tcp_only);
  if (ways.empty()) return {{}, "none of its addresses leads there from here"};
  auto count = static_cast<unsigned>(ways.size());
  const wire::Way& way = ways[attempt % count];
  net::Dialed dialed = net::dial(way, attempt / count);
  if (!dialed.socket) return {{}, dialed.error};
  if (room_left(dialed.socket.number()) == wire::Room::none) return {{}, too_many_files};
  bool is_local = std::holds_alternative<wire::UnixWay>(way);
  wire::Route route = is_local ? wire::Route::local : wire::Route::remote;
  bool is_ready = dialed.connected && !wants_tls(route);
  Line& line = add(Socket(std::move(dialed.socket)), is_ready);
  return {
      {.serial = line.serial, .route = route, .whom = wire::print(way), .is_connected = is_ready}};
}

// What they are used for.

void Sockets::enclose(ClientId client, std::vector<Descriptor> descriptors) {
  if (Line* line = find(static_cast<Serial>(client)))
    line->enclosed.push_back(std::move(descriptors));
}

wire::Network::Taken Sockets::write(Serial serial, std::string_view bytes, bool encloses) {
  Line& line = *find(serial);
  std::vector<int> enclosed;
  if (encloses)
    for (const Descriptor& each : line.enclosed.front()) enclosed.push_back(each.number());
  Transfer sent = enclosed.empty() ? line.socket.send(bytes) : line.socket.send(bytes, enclosed);
  if (sent.flow == Flow::ended) return {0, true, {}};
  if (sent.flow == Flow::failed) return {0, true, sent.why};
  std::size_t taken = sent.flow == Flow::moved ? sent.bytes : 0;
  if (encloses && taken > 0) line.enclosed.pop_front();
  watch(line, taken < bytes.size() ? EPOLLIN | EPOLLOUT : EPOLLIN);
  return {taken};
}

ClientProcess Sockets::process_of(ClientId client) const {
  auto found = lines_.find(static_cast<Serial>(client));
  ucred who{};
  socklen_t size = sizeof who;
  bool known = found != lines_.end() && ::getsockopt(found->second.socket.number(), SOL_SOCKET,
                                                     SO_PEERCRED, &who, &size) == 0;
  if (!known) return {};
  return {static_cast<std::uint64_t>(std::max(who.pid, 0)), who.uid};
}

// What they bring.

void Sockets::work(const Readiness& ready, wire::Channels& channels) {
  for (int i = 0; i < ready.count; ++i) {
    const epoll_event& event = ready.events[static_cast<std::size_t>(i)];
    serve(event.data.u64, event.events, channels);
  }
  if (doors_open_at_ != Time::max() && doors_open_at_ <= steady_now()) open_doors();
}

void Sockets::serve(Serial serial, std::uint32_t events, wire::Channels& channels) {
  if (serial == Poller::bell) return poller_.silence();
  for (const Reception::Door& door : reception_.doors())
    if (door.serial == serial) return accept(door, channels);
  Line* line = find(serial);
  if (!line) return;
  if (line->stage != Line::Stage::open) return go_on_connecting(*line, events, channels);
  if ((events & EPOLLOUT) != 0) {
    watch(*line, EPOLLIN);
    channels.writable(serial, steady_now());
    line = find(serial);
  }
  // An error is read like anything else.
  if (line && (events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(*line, channels);
}

void Sockets::go_on_connecting(Line& line, std::uint32_t events, wire::Channels& channels) {
  if (line.stage == Line::Stage::securing) return secure(line, channels);
  if ((events & ~static_cast<std::uint32_t>(EPOLLIN)) == 0) return;
  std::string error = connection_error(line.socket.number());
  if (!error.empty()) return channels.ended(line.serial, error, steady_now());
  if (tls_) {
    line.socket.begin_tls(tls_->dial(line.socket.number()));
    line.stage = Line::Stage::securing;
    return secure(line, channels);
  }
  line.stage = Line::Stage::open;
  channels.connected(line.serial, steady_now());
}

void Sockets::secure(Line& line, wire::Channels& channels) {
  Transfer done = line.socket.secure();
  if (done.flow == Flow::later)
    return watch(line, line.socket.wants_to_write() ? EPOLLIN | EPOLLOUT : EPOLLIN);
  if (done.flow != Flow::moved) return channels.ended(line.serial, done.why, steady_now());
  line.stage = Line::Stage::open;
  watch(line, EPOLLIN);
  channels.connected(line.serial, steady_now());
}

/// Once: if there is more, epoll says so again, and others have had their turn.
void Sockets::read(Line& line, wire::Channels& channels) {
  Transfer got = line.socket.receive(buffer_.get(), buffer_bytes);
  if (got.flow == Flow::later) return;
  if (got.flow == Flow::moved)
    return channels.brought(line.serial, {buffer_.get(), got.bytes}, steady_now());
  channels.ended(line.serial, got.flow == Flow::ended ? "" : got.why, steady_now());
}

}  // namespace conch::net
