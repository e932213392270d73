#include "net/post.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <conch/error.hpp>

#include "net/open_files.hpp"

namespace conch::net {

namespace {

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

}  // namespace

Courier::Post::Post(CourierOptions options)
    : options_(checked(std::move(options))),
      tls_(options_.tls.enabled() ? std::make_unique<TlsContext>(options_.tls) : nullptr),
      reception_(options_, Poller::first_free),
      next_serial_(Poller::first_free + reception_.doors().size()) {
  for (const Reception::Door& door : reception_.doors())
    poller_.add(door.socket.number(), door.serial, EPOLLIN);
}

Courier::Post::~Post() {
  for (auto& [serial, connection] : connections_) connection->socket.close();
}

// Who is there.

Correspondent& Courier::Post::correspondent(const Life& life) {
  return correspondents_
      .try_emplace(life, Correspondent{life, wire::Outgoing(options_.kept_bytes_max)})
      .first->second;
}

void Courier::Post::live_as(const Life& self) {
  options_.self = self;
  std::map<Life, std::string> addresses;
  for (auto& [life, each] : correspondents_) {
    hang_up(each);
    addresses[life] = each.address;
  }
  correspondents_.clear();
  dirty_.clear();
  for (const auto& [life, address] : addresses)
    if (life != self && !address.empty()) know(life, address);
}

void Courier::Post::know(const Life& life, const std::string& address) {
  if (life == options_.self) return;
  Correspondent& found = correspondent(life);
  if (address.empty() || found.address == address) return;
  found.address = address;
  found.redial = {};
  if (found.wants_connection()) wake_by(at_once);
}

void Courier::Post::forget(const Life& life) {
  auto found = correspondents_.find(life);
  if (found == correspondents_.end()) return;
  hang_up(found->second);
  std::erase(dirty_, &found->second);
  correspondents_.erase(found);
}

void Courier::Post::hang_up(Correspondent& correspondent) {
  if (correspondent.to) close(*correspondent.to);
  if (correspondent.from) close(*correspondent.from);
}

void Courier::Post::contact(const std::string& address) {
  bool is_new = contacts_.try_emplace(address, Contact{address}).second;
  if (is_new) wake_by(at_once);
}

// What is said.

bool Courier::Post::send(const Life& life, std::string_view payload) {
  auto found = correspondents_.find(life);
  if (found == correspondents_.end()) return false;
  Correspondent& to = found->second;
  if (to.broken) return false;
  bool was_empty = to.outgoing.empty();
  if (!to.outgoing.append(payload)) {
    break_channel(to, "it has left " + std::to_string(to.outgoing.bytes()) +
                          " bytes unacknowledged, and there is no room for " +
                          std::to_string(payload.size()) + " more");
    return false;
  }
  ++counts_.frames_sent;
  if (was_empty) to.waits_since = steady_now();
  if (to.dirty || to.address.empty()) return true;
  to.dirty = true;
  dirty_.push_back(&to);
  return true;
}

bool Courier::Post::is_local(const Life& life) const {
  auto found = correspondents_.find(life);
  if (found == correspondents_.end()) return false;
  const Connection* outlet = found->second.outlet();
  return outlet && outlet->route == wire::Route::local;
}

std::uint32_t Courier::Post::version_with(const Life& life) const {
  auto found = correspondents_.find(life);
  return found == correspondents_.end() ? 0 : found->second.version;
}

std::size_t Courier::Post::backlog(const Life& life) const {
  auto found = correspondents_.find(life);
  return found == correspondents_.end() ? 0 : found->second.outgoing.bytes();
}

void Courier::Post::send(ClientId client, std::string_view payload,
                         std::vector<Descriptor> enclosed) {
  Connection* connection = find(static_cast<Serial>(client));
  Serving* serving = connection ? connection->as<Serving>() : nullptr;
  if (!serving) return;
  std::size_t waiting = connection->backlog.size();
  if (payload.size() > wire::payload_bytes_max || waiting + payload.size() > wire::client_bytes_max)
    return drop(*connection, "it does not read what it is told");
  if (!enclosed.empty()) connection->backlog.enclose(std::move(enclosed));
  wire::put_frame(connection->backlog.bytes(), wire::Kind::note, payload);
  ++counts_.frames_sent;
  if (serving->dirty) return;
  serving->dirty = true;
  dirty_clients_.push_back(connection->serial);
}

bool Courier::Post::is_surplus(ClientId client) {
  Connection* connection = find(static_cast<Serial>(client));
  return connection && OpenFiles::of_process().is_kept_from_clients(connection->socket.number());
}

void Courier::Post::dismiss(ClientId client) {
  Connection* connection = find(static_cast<Serial>(client));
  if (connection && connection->as<Serving>()) leave(*connection);
}

ClientProcess Courier::Post::process_of(ClientId client) const {
  auto found = connections_.find(static_cast<Serial>(client));
  ucred who{};
  socklen_t size = sizeof who;
  bool known =
      found != connections_.end() &&
      ::getsockopt(found->second->socket.number(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
  if (!known) return {};
  return {static_cast<std::uint64_t>(std::max(who.pid, 0)), who.uid};
}

void Courier::Post::flush() {
  for (Correspondent* to : dirty_) {
    to->dirty = false;
    if (Connection* outlet = to->outlet()) {
      if (outlet->is_open() && !outlet->waits_to_write) write(*outlet);
    } else {
      Time now = steady_now();
      to->redial.not_before <= now ? dial(*to, now) : wake_by(to->redial.not_before);
    }
  }
  dirty_.clear();
  for (Serial serial : dirty_clients_) {
    Connection* client = find(serial);
    Serving* serving = client ? client->as<Serving>() : nullptr;
    if (!serving) continue;
    serving->dirty = false;
    if (client->is_open() && !client->waits_to_write) write(*client);
  }
  dirty_clients_.clear();
}

std::vector<std::pair<Life, Duration>> Courier::Post::unacknowledged(Time now) const {
  std::vector<std::pair<Life, Duration>> found;
  for (const auto& [life, each] : correspondents_)
    if (!each.outgoing.empty())
      found.emplace_back(life, std::max(now - each.waits_since, Duration::zero()));
  return found;
}

// What the others must be told.

void Courier::Post::break_channel(Correspondent& correspondent, const std::string& why) {
  correspondent.broken = true;
  if (Connection* outlet = correspondent.outlet()) close(*outlet);
  correspondent.outgoing = wire::Outgoing(0);
  log("the channel to " + wire::describe(correspondent.life) + " is broken: " + why);
  report(Broken{correspondent.life, why});
}

void Courier::Post::report(News news) {
  news_.push_back(std::move(news));
  if (!recipient_) wake_by(at_once);  // else it is told before `work` ends
}

void Courier::Post::wake_by(Time time) {
  due_ = std::min(due_, time);
  poller_.ring_by(due_);
}

void Courier::Post::log(const std::string& line) const {
  if (options_.log) options_.log(line);
}

void Courier::Post::complain(const std::string& line, const std::string& fact) {
  ++counts_.connections_refused;
  if (complaints_.allows(steady_now(), fact)) log(line + complaints_.left_out());
}

/// A host's next connection has another port, and is no other fact.
void Courier::Post::complain(const std::string& what, const Connection& about,
                             const std::string& why) {
  std::string host = about.whom.substr(0, about.whom.rfind(':'));
  complain(what + " " + about.whom + ": " + why, what + " " + host + ": " + why);
}

}  // namespace conch::net
