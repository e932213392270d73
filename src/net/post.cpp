#include "net/post.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <conch/error.hpp>

#include "core/expect.hpp"
#include "net/open_files.hpp"
#include "net/stream_line.hpp"

namespace conch::net {

namespace {

/// After so many, others have their turn.
constexpr int accepted_at_once_max = 16;
constexpr Duration closed_doors = std::chrono::milliseconds(200);

const char* const too_many_files = "the process has too many open files; raise `ulimit -n`";

CourierOptions checked(CourierOptions options) {
  if (options.group.size() > wire::group_bytes_max)
    throw Error(ErrorCode::bad_argument, "the name of a group has at most " +
                                             std::to_string(wire::group_bytes_max) +
                                             " bytes; choose a shorter one than " + options.group);
  if (options.algorithm.size() > wire::algorithm_bytes_max)
    throw Error(ErrorCode::bad_argument,
                "there is no algorithm with a name as long as " + options.algorithm);
  return options;
}

wire::Room room_left(int descriptor) {
  OpenFiles files = OpenFiles::of_process();
  if (files.is_kept_for_register(descriptor)) return wire::Room::none;
  return files.is_kept_from_clients(descriptor) ? wire::Room::scarce : wire::Room::ample;
}

}  // namespace

Courier::Post::Post(CourierOptions options)
    : options_(checked(std::move(options))),
      tls_(options_.tls.enabled() ? std::make_unique<TlsContext>(options_.tls) : nullptr),
      reception_(options_, Poller::first_free),
      channels_({{options_.self, options_.group, options_.algorithm},
                 reception_.address(),
                 options_.kept_bytes_max},
                *this),
      next_serial_(Poller::first_free + reception_.doors().size()) {
  for (const Reception::Door& door : reception_.doors())
    poller_.add(door.socket.number(), door.serial, EPOLLIN);
}

Courier::Post::~Post() {
  for (auto& [serial, line] : lines_) line.socket.close();
}

Courier::Post::Line* Courier::Post::find(Serial serial) {
  auto found = lines_.find(serial);
  return found == lines_.end() ? nullptr : &found->second;
}

Courier::Post::Line& Courier::Post::add(Socket socket, bool dialed, bool is_connected) {
  Serial serial = next_serial_++;
  Line& line = lines_[serial];
  line = {.serial = serial,
          .socket = std::move(socket),
          .dialed = dialed,
          .stage = is_connected ? Line::Stage::open : Line::Stage::connecting,
          .events = is_connected ? EPOLLIN : EPOLLIN | EPOLLOUT};
  close_on_fork(line.socket.number());
  poller_.add(line.socket.number(), serial, line.events);
  return line;
}

void Courier::Post::watch(Line& line, std::uint32_t events) {
  if (std::exchange(line.events, events) != events)
    poller_.change(line.socket.number(), line.serial, events);
}

void Courier::Post::close(Serial serial) {
  auto found = lines_.find(serial);
  poller_.remove(found->second.socket.number());
  found->second.socket.close();
  lines_.erase(found);
}

void Courier::Post::hand_over(const wire::Connection& connection, const Life& from) {
  auto found = lines_.find(connection.serial);
  poller_.remove(found->second.socket.number());
  Socket socket = std::move(found->second.socket);
  lines_.erase(found);
  std::string whom = wire::describe(from) + " at " + connection.whom;
  recipient_->stream_came(from, Stream(std::make_unique<Stream::Line>(
                                    std::move(socket), connection.route, std::move(whom))));
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
  int number = socket.number();
  bool is_local = route == wire::Route::local;
  if (!is_local) prepare_tcp(number);
  wire::Caller caller{.route = route,
                      .whom = describe_other_end(number),
                      .is_connected = !wants_tls(route),
                      .is_own_user = !is_local || is_of_same_user(number),
                      .room = room_left(number)};
  Line& line = add(Socket(std::move(socket)), false, true);
  caller.serial = line.serial;
  if (!caller.is_connected) {
    line.stage = Line::Stage::securing;
    line.socket.begin_tls(tls_->accept(number));
  }
  channels_.accepted(caller, now);
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
  channels_.complain(line, line, now);
  for (const Reception::Door& door : reception_.doors())
    poller_.change(door.socket.number(), door.serial, 0);
  doors_open_at_ = now + closed_doors;
}

void Courier::Post::open_doors() {
  doors_open_at_ = Time::max();
  for (const Reception::Door& door : reception_.doors())
    poller_.change(door.socket.number(), door.serial, EPOLLIN);
}

/// After a dead end the next way is taken; after all of them, the next number of a name.
wire::Network::Dialed Courier::Post::dial(const std::string& address, unsigned attempt) {
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
  Line& line = add(Socket(std::move(dialed.socket)), true, is_ready);
  return {
      {.serial = line.serial, .route = route, .whom = wire::print(way), .is_connected = is_ready}};
}

// What they are used for.

void Courier::Post::enclose(ClientId client, std::vector<Descriptor> descriptors) {
  if (Line* line = find(static_cast<Serial>(client)))
    line->enclosed.push_back(std::move(descriptors));
}

wire::Network::Taken Courier::Post::write(Serial serial, std::string_view bytes, bool encloses) {
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

ClientProcess Courier::Post::process_of(ClientId client) const {
  auto found = lines_.find(static_cast<Serial>(client));
  ucred who{};
  socklen_t size = sizeof who;
  bool known = found != lines_.end() && ::getsockopt(found->second.socket.number(), SOL_SOCKET,
                                                     SO_PEERCRED, &who, &size) == 0;
  if (!known) return {};
  return {static_cast<std::uint64_t>(std::max(who.pid, 0)), who.uid};
}

// What they bring.

void Courier::Post::work(const Readiness& ready, Time now, Recipient& recipient) {
  CONCH_EXPECT(!recipient_, "a recipient does not call work");
  struct Shift {
    explicit Shift(Post& post, Recipient& recipient) : post_(post) {
      post_.recipient_ = &recipient;
    }
    ~Shift() { post_.recipient_ = nullptr; }
    Post& post_;
  } shift(*this, recipient);
  for (int i = 0; i < ready.count; ++i) {
    const epoll_event& event = ready.events[static_cast<std::size_t>(i)];
    serve(event.data.u64, event.events, now);
  }
  if (doors_open_at_ <= now) open_doors();
  channels_.tick(now, recipient);
  ring();
}

void Courier::Post::serve(Serial serial, std::uint32_t events, Time now) {
  if (serial < Poller::first_free) return poller_.silence(serial);
  for (const Reception::Door& door : reception_.doors())
    if (door.serial == serial) return accept(door, now);
  Line* line = find(serial);
  if (!line) return;
  if (line->stage != Line::Stage::open) return go_on_connecting(*line, events, now);
  if ((events & EPOLLOUT) != 0) {
    watch(*line, EPOLLIN);
    channels_.writable(serial, now);
    line = find(serial);
  }
  // An error is read like anything else.
  if (line && (events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(*line, now);
}

void Courier::Post::go_on_connecting(Line& line, std::uint32_t events, Time now) {
  if (line.stage == Line::Stage::securing) return secure(line, now);
  if ((events & ~static_cast<std::uint32_t>(EPOLLIN)) == 0) return;
  std::string error = connection_error(line.socket.number());
  if (!error.empty()) return channels_.ended(line.serial, error, now);
  if (tls_) {
    line.socket.begin_tls(tls_->dial(line.socket.number()));
    line.stage = Line::Stage::securing;
    return secure(line, now);
  }
  line.stage = Line::Stage::open;
  channels_.connected(line.serial, now);
}

void Courier::Post::secure(Line& line, Time now) {
  Transfer done = line.socket.secure();
  if (done.flow == Flow::later)
    return watch(line, line.socket.wants_to_write() ? EPOLLIN | EPOLLOUT : EPOLLIN);
  if (done.flow != Flow::moved) return channels_.ended(line.serial, done.why, now);
  line.stage = Line::Stage::open;
  watch(line, EPOLLIN);
  channels_.connected(line.serial, now);
}

/// Once: if there is more, epoll says so again, and others have had their turn.
void Courier::Post::read(Line& line, Time now) {
  Transfer got = line.socket.receive(buffer_.get(), buffer_bytes);
  if (got.flow == Flow::later) return;
  if (got.flow == Flow::moved)
    return channels_.brought(line.serial, {buffer_.get(), got.bytes}, now, *recipient_);
  channels_.ended(line.serial, got.flow == Flow::ended ? "" : got.why, now);
}

}  // namespace conch::net
