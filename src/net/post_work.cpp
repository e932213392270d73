#include <algorithm>
#include <utility>

#include "core/expect.hpp"
#include "net/post.hpp"

namespace conch::net {

void Courier::Post::work(const Readiness& ready, Time now, Recipient& recipient) {
  CONCH_EXPECT(!recipient_, "a recipient does not call work");
  struct Shift {
    explicit Shift(Post& post, Recipient& recipient) : post_(post) {
      post_.recipient_ = &recipient;
    }
    ~Shift() { post_.recipient_ = nullptr; }
    Post& post_;
  } shift(*this, recipient);
  now_ = now;
  for (int i = 0; i < ready.count; ++i) {
    const epoll_event& event = ready.events[static_cast<std::size_t>(i)];
    serve(event.data.u64, event.events);
  }
  keep_time();
  tell_news();
  poller_.ring_by(due_);
  closed_.clear();
}

void Courier::Post::serve(Serial serial, std::uint32_t events) {
  if (serial < Poller::first_free) return poller_.silence(serial);
  if (Connection* connection = find(serial)) return serve(*connection, events);
  for (const Reception::Door& door : reception_.doors())
    if (door.serial == serial) accept(door, now_);
}

void Courier::Post::serve(Connection& connection, std::uint32_t events) {
  if (connection.stage == Stage::connecting) {
    if ((events & ~static_cast<std::uint32_t>(EPOLLIN)) == 0) return;
    std::string error = connection_error(connection.socket.number());
    if (!error.empty()) return part(connection, error);
    connection.stage = Stage::greeting;
    return connected(connection);
  }
  if (connection.stage == Stage::securing) return secure(connection);
  if ((events & EPOLLOUT) != 0 && !write(connection)) return;
  bool is_leaving = connection.as<Leaving>() != nullptr;
  if (is_leaving && connection.backlog.unwritten().empty()) return close(connection);
  // An error is read like anything else.
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(connection);
}

/// Once: if there is more, epoll says so again, and others have had their turn.
void Courier::Post::read(Connection& connection) {
  Transfer got = connection.socket.receive(buffer_.get(), buffer_bytes);
  if (got.flow == Flow::later) return;
  if (got.flow == Flow::ended && connection.reader.is_inside())
    return drop(connection, "it has hung up inside a frame");
  if (got.flow != Flow::moved)
    return part(connection, got.flow == Flow::ended ? "it has hung up" : got.why);
  counts_.bytes_received += got.bytes;
  connection.reader.feed({buffer_.get(), got.bytes});
  while (std::optional<wire::Frame> frame = connection.reader.next()) {
    take(connection, *frame);
    if (!connection.socket.is_open()) return;
  }
  if (!connection.reader.ok()) return drop(connection, connection.reader.error());
  if (Correspondent* from = connection.correspondent())
    from->incoming.due() <= now_ ? acknowledge(*from) : wake_by(from->incoming.due());
}

void Courier::Post::take(Connection& connection, const wire::Frame& frame) {
  if (connection.as<Leaving>()) return;
  if (connection.stage == Stage::greeting)
    return connection.dialed ? take_answer(connection, frame) : take_hello(connection, frame);
  if (Correspondent* other = connection.correspondent()) {
    if (frame.kind == wire::Kind::payload) return take_payload(connection, *other, frame);
    if (frame.kind == wire::Kind::acknowledgement)
      return take_acknowledgement(connection, *other, frame);
  }
  if (auto* serving = connection.as<Serving>(); serving && frame.kind == wire::Kind::note) {
    ++counts_.frames_received;
    return recipient_->client_said(serving->client, frame.body);
  }
  drop(connection, std::string(wire::word(frame.kind)) + " came where it has no place");
}

void Courier::Post::take_payload(Connection& connection, Correspondent& from,
                                 const wire::Frame& frame) {
  std::optional<std::string_view> payload = from.incoming.take(frame.body, now_);
  if (!payload) return drop(connection, "a payload came twice, or one is missing before it");
  ++counts_.frames_received;
  Life life = from.life;  // the recipient may forget it
  recipient_->delivered(life, *payload);
}

void Courier::Post::take_acknowledgement(Connection& connection, Correspondent& to,
                                         const wire::Frame& frame) {
  std::optional<std::uint64_t> received = wire::read_acknowledgement(frame.body);
  if (!received) return drop(connection, "an acknowledgement is malformed");
  if (to.outlet() != &connection) return;  // of what went over it before; a handshake said it, too
  std::uint64_t before = to.outgoing.acknowledged();
  if (!to.outgoing.acknowledge(*received))
    return break_channel(
        to, "it acknowledges " + std::to_string(*received) + " payloads, which cannot be");
  to.accepted_us = true;
  if (*received == before) return;
  to.redial = {};
  to.waits_since = now_;
}

void Courier::Post::acknowledge(Correspondent& from) {
  Connection* inlet = from.inlet();
  if (!inlet || !inlet->is_open())
    return from.incoming.was_acknowledged();  // the next handshake does it
  from.incoming.acknowledge(inlet->backlog.bytes());
  if (!inlet->waits_to_write) write(*inlet);
}

// What is due.

void Courier::Post::keep_time() {
  if (now_ < due_) return;
  due_ = Time::max();
  std::vector<Connection*> late;
  for (auto& [serial, connection] : connections_)
    connection->deadline <= now_ ? late.push_back(connection.get()) : wake_by(connection->deadline);
  for (Connection* connection : late)
    connection->as<Leaving>() ? close(*connection)
                              : part(*connection, "it took too long over the handshake");
  for (auto& [life, each] : correspondents_) keep_time_of(each);
  for (auto& [address, each] : contacts_) keep_time_of(each);
  if (doors_open_at_ != Time::max()) open_doors(now_);
}

void Courier::Post::keep_time_of(Correspondent& each) {
  each.incoming.due() <= now_ ? acknowledge(each) : wake_by(each.incoming.due());
  if (!each.wants_connection()) return;
  each.redial.not_before <= now_ ? dial(each, now_) : wake_by(each.redial.not_before);
}

void Courier::Post::keep_time_of(Contact& each) {
  if (each.connection) return;
  each.redial.not_before <= now_ ? dial(each, now_) : wake_by(each.redial.not_before);
}

/// The recipient may do something that makes more.
void Courier::Post::tell_news() {
  while (!news_.empty()) {
    for (const News& each : std::exchange(news_, {})) {
      if (const auto* broken = std::get_if<Broken>(&each)) {
        recipient_->broken(broken->life, broken->why);
      } else {
        recipient_->client_left(std::get<Left>(each).client);
      }
    }
  }
}

}  // namespace conch::net
