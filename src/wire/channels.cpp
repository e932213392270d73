#include "wire/channels.hpp"

#include <algorithm>
#include <conch/error.hpp>

namespace conch::wire {

namespace {

Channels::Options checked(Channels::Options options) {
  const auto& [self, group, algorithm, speaks] = options.identity;
  if (group.size() > group_bytes_max)
    throw Error(ErrorCode::bad_argument, "the name of a group has at most " +
                                             std::to_string(group_bytes_max) +
                                             " bytes; choose a shorter one than " + group);
  if (algorithm.size() > algorithm_bytes_max)
    throw Error(ErrorCode::bad_argument,
                "there is no algorithm with a name as long as " + algorithm);
  return options;
}

}  // namespace

Channels::Channels(Options options, Network& network, Recipient& recipient)
    : options_(checked(std::move(options))), network_(network), recipient_(recipient) {}

// Peer channels.

PeerChannel* Channels::find(const PeerInstance& life) {
  auto found = channels_.find(life);
  return found == channels_.end() ? nullptr : &found->second;
}

const PeerChannel* Channels::find(const PeerInstance& life) const {
  auto found = channels_.find(life);
  return found == channels_.end() ? nullptr : &found->second;
}

PeerChannel& Channels::channel(const PeerInstance& life) {
  auto [found, is_new] =
      channels_.try_emplace(life, PeerChannel{life, Outgoing(options_.kept_bytes_max)});
  if (auto known = addresses_.find(life); is_new && known != addresses_.end())
    found->second.address = known->second;
  return found->second;
}

void Channels::live_as(const PeerInstance& self, Time now) {
  flush(now);  // Other peers may wait for the last messages.
  options_.identity.self = self;
  for (auto& [life, each] : channels_) hang_up(each);
  channels_.clear();
  dirty_.clear();
  std::erase_if(addresses_, [](const auto& each) { return each.second.empty(); });
}

void Channels::know(const PeerInstance& life, const std::string& address) {
  if (life == options_.identity.self) return;
  std::string& known = addresses_[life];
  if (address.empty() || known == address) return;
  known = address;
  PeerChannel* found = find(life);
  if (!found) return;
  found->address = address;
  found->redial = {};
  if (found->wants_connection()) wake_by(at_once);
}

void Channels::forget(const PeerInstance& life) {
  addresses_.erase(life);
  auto found = channels_.find(life);
  if (found == channels_.end()) return;
  hang_up(found->second);
  std::erase(dirty_, &found->second);
  channels_.erase(found);
}

void Channels::hang_up(PeerChannel& channel) {
  if (channel.to) close(*channel.to);
  if (channel.from) close(*channel.from);
}

void Channels::contact(const std::string& address) {
  bool is_new = contacts_.try_emplace(address, Contact{address}).second;
  if (is_new) wake_by(at_once);
}

void Channels::abandon() {
  connections_.clear();
  half_open_.clear();
  channels_.clear();
  addresses_.clear();
  contacts_.clear();
  dirty_.clear();
  dirty_clients_.clear();
  news_.clear();
}

// Sending.

bool Channels::send(const PeerInstance& life, std::string_view payload) {
  PeerChannel* to = find(life);
  if (!to && addresses_.contains(life)) to = &channel(life);
  if (!to || to->broken) return false;
  bool was_empty = to->outgoing.empty();
  if (!to->outgoing.append(payload)) {
    break_channel(*to, "it has left " + std::to_string(to->outgoing.bytes()) +
                           " bytes unacknowledged, and there is no room for " +
                           std::to_string(payload.size()) + " more");
    return false;
  }
  ++counts_.frames_sent;
  if (was_empty) to->waits_since = next_flush;
  if (to->dirty) return true;
  to->dirty = true;
  dirty_.push_back(to);
  return true;
}

Connection* Channels::find_client(ClientId client) {
  Connection* connection = find(static_cast<Serial>(client));
  return connection && connection->as<Serving>() ? connection : nullptr;
}

void Channels::send(ClientId client, std::string_view payload, bool encloses) {
  Connection* connection = find_client(client);
  if (!connection) return;
  std::size_t waiting = connection->backlog.size();
  if (payload.size() > payload_bytes_max || waiting + payload.size() > client_bytes_max)
    return drop(*connection, "it does not read what is sent to it");
  if (encloses) connection->backlog.enclose();
  put_frame(connection->backlog.bytes(), FrameKind::note, payload);
  ++counts_.frames_sent;
  if (std::exchange(connection->as<Serving>()->dirty, true)) return;
  dirty_clients_.push_back(connection->serial);
}

void Channels::dismiss(ClientId client) {
  if (Connection* connection = find_client(client)) leave(*connection);
}

void Channels::flush(Time now) {
  now_ = now;
  for (PeerChannel* to : dirty_) {
    to->dirty = false;
    if (to->waits_since == next_flush) to->waits_since = now;
    if (Connection* outlet = to->outlet()) {
      if (outlet->is_open() && !outlet->waits_to_write) write(*outlet);
    } else if (to->wants_connection()) {
      to->redial.not_before <= now_ ? dial(*to) : wake_by(to->redial.not_before);
    }
  }
  dirty_.clear();
  for (Serial serial : dirty_clients_) {
    Connection* client = find_client(ClientId{serial});
    if (!client) continue;
    client->as<Serving>()->dirty = false;
    if (client->is_open() && !client->waits_to_write) write(*client);
  }
  dirty_clients_.clear();
}

// Queries.

bool Channels::is_surplus(ClientId client) const {
  const Connection* connection = find(static_cast<Serial>(client));
  return connection && connection->room != Room::ample;
}

bool Channels::is_local(const PeerInstance& life) const {
  const PeerChannel* found = find(life);
  const Connection* outlet = found ? found->outlet() : nullptr;
  return outlet && outlet->route == Route::local;
}

std::uint32_t Channels::version_with(const PeerInstance& life) const {
  const PeerChannel* found = find(life);
  return found ? found->version : 0;
}

std::size_t Channels::backlog(const PeerInstance& life) const {
  const PeerChannel* found = find(life);
  return found ? found->outgoing.bytes() : 0;
}

std::vector<std::pair<PeerInstance, Duration>> Channels::unacknowledged(Time now) const {
  std::vector<std::pair<PeerInstance, Duration>> found;
  for (const auto& [life, each] : channels_)
    if (!each.outgoing.empty())
      found.emplace_back(life, std::max(now - each.waits_since, Duration::zero()));
  return found;
}

// News and complaints.

void Channels::break_channel(PeerChannel& channel, const std::string& why) {
  channel.broken = true;
  if (Connection* outlet = channel.outlet()) close(*outlet);
  channel.outgoing = Outgoing(0);
  network_.log("the channel to " + describe(channel.life) + " is broken: " + why);
  report(Broken{channel.life, why});
}

void Channels::complain(const std::string& line, const std::string& fact, Time now) {
  ++counts_.connections_refused;
  if (complaints_.allows(now, fact)) network_.log(line + complaints_.left_out());
}

/// The next connection of a host has another port, but is the same fact.
void Channels::complain(const std::string& what, const Connection& about, const std::string& why) {
  std::string host = about.whom.substr(0, about.whom.rfind(':'));
  complain(what + " " + about.whom + ": " + why, what + " " + host + ": " + why, now_);
}

// Timers.

void Channels::tick(Time now) {
  now_ = now;
  if (due_ <= now_) keep_time();
  last_tick_ = now_;
  // The recipient may cause further news.
  while (!news_.empty()) {
    for (const News& each : std::exchange(news_, {})) {
      if (const auto* broken = std::get_if<Broken>(&each)) {
        recipient_.broken(broken->life, broken->why, now_);
      } else {
        recipient_.client_left(std::get<Left>(each).client, now_);
      }
    }
  }
  closed_.clear();
}

void Channels::keep_time() {
  due_ = Time::max();
  // This process may have been stopped, and may not have read what has come meanwhile.
  bool may_have_been_away = last_tick_ + noticing_max < now_;
  std::vector<Connection*> late;
  for (auto& [serial, connection] : connections_) {
    bool is_late = connection->deadline <= now_;
    if (is_late && may_have_been_away && !std::exchange(connection->has_more_time, true))
      connection->deadline = now_ + handshake_patience;
    connection->deadline <= now_ ? late.push_back(connection.get()) : wake_by(connection->deadline);
  }
  for (Connection* connection : late)
    connection->as<Leaving>() ? close(*connection)
                              : part(*connection, "the handshake took too long");
  for (auto& [life, each] : channels_) keep_time_of(each);
  for (auto& [address, each] : contacts_) keep_time_of(each);
}

void Channels::keep_time_of(PeerChannel& each) {
  each.incoming.due() <= now_ ? acknowledge(each) : wake_by(each.incoming.due());
  if (!each.wants_connection()) return;
  each.redial.not_before <= now_ ? dial(each) : wake_by(each.redial.not_before);
}

void Channels::keep_time_of(Contact& each) {
  if (each.connection) return;
  each.redial.not_before <= now_ ? dial(each) : wake_by(each.redial.not_before);
}

}  // namespace conch::wire
