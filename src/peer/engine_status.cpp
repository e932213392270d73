// What this peer says about itself.
#include <unistd.h>

#include "peer/clients.hpp"
#include "peer/engine.hpp"

namespace conch::peer {

using namespace recovery;

StatusPart Engine::status_part(Time now) const {
  StatusPart part;
  part.life = life_;
  part.process = static_cast<std::uint64_t>(::getpid());
  part.age = now - born_;
  if (auto until = steward_->lease_until()) part.lease = *until - now;
  part.clients = clients_->size();
  part.counts = counts_;
  const net::Courier::Counts& traffic = courier_->counts();
  part.counts.messages_sent = traffic.frames_sent;
  part.counts.messages_received = traffic.frames_received;
  part.counts.bytes_sent = traffic.bytes_sent;
  part.counts.bytes_received = traffic.bytes_received;
  part.counts.connections_refused = traffic.connections_refused;
  for (const LockReport& report : steward_->reports(now))
    part.locks.push_back(part_of(report, now));
  return part;
}

LockPart Engine::part_of(const LockReport& report, Time now) const {
  LockPart part;
  part.lock = report.lock;
  part.token = steward_->has_token(report.lock);
  auto found = desks_.find(report.lock);
  if (found != desks_.end()) part.in_line = found->second->queue.waiting().size();
  if (report.held) {
    part.holds = true;
    part.reads = report.held->wish.mode == Mode::read;
    part.fence = report.held->fence.number();
    if (found != desks_.end()) part.since = now - found->second->inside_since;
  } else if (report.waits) {
    part.waits = true;
    part.reads = report.waits->wish.mode == Mode::read;
    part.since = report.waits->waited;
  }
  return part;
}

Status Engine::status_here(Time now) const {
  return {group_, life_, steward_->view(), steward_->dead(), {status_part(now)}};
}

}  // namespace conch::peer
