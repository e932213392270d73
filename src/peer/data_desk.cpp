#include "peer/data_desk.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

#include "peer/engine.hpp"

namespace conch::peer {

using namespace recovery;

net::StreamOptions DataDesk::stream_options() const {
  const PeerOptions& options = engine_.options();
  return {
      engine_.node().self(), engine_.group(),  std::string(engine_.node().algorithm().about.name),
      tls_of(options.tls),   options.tcp_only, engine_.socket_folder()};
}

std::optional<DataDesk::Keeper> DataDesk::member(NodeId id) const {
  const Member* found = engine_.node().steward().view().roster.find(id);
  if (!found) return std::nullopt;
  return Keeper{found->life(), found->address};
}

/// All other members, those with larger identifiers first: so not everybody asks the same.
std::vector<DataDesk::Keeper> DataDesk::others() const {
  std::vector<Keeper> before;
  std::vector<Keeper> after;
  for (const Member& each : engine_.node().steward().view().roster) {
    if (each.id == engine_.node().self().id) continue;
    (each.id < engine_.node().self().id ? before : after).push_back({each.life(), each.address});
  }
  after.insert(after.end(), before.begin(), before.end());
  return after;
}

/// Without the guard.
void DataDesk::count(std::uint64_t sent, std::uint64_t received) {
  traffic_.bytes_sent += sent;
  traffic_.bytes_received += received;
  Guard guard = engine_.guard();
  engine_.tell_data(sent, received);
}

void DataDesk::close(const std::string& lock) {
  --stocks_.at(lock).handles;
  drop_if_useless(lock);
}

/// A process that has no handle of it keeps only what may be the newest.
void DataDesk::drop_if_useless(const std::string& lock) {
  auto found = stocks_.find(lock);
  if (found == stocks_.end() || found->second.handles > 0) return;
  std::uint64_t version = found->second.version();
  if (version == 0 || version <= found->second.outdated) stocks_.erase(found);
}

std::vector<node::Copy> DataDesk::new_copies() {
  std::vector<node::Copy> copies;
  for (auto& [lock, stock] : stocks_) {
    std::uint64_t version = stock.version();
    if (version == 0 || version == stock.told) continue;
    stock.told = version;
    copies.push_back({lock, {version, stock.size(), engine_.node().self().id}});
  }
  return copies;
}

void DataDesk::tell_outdated(const Errand& errand) {
  std::optional<Keeper> keeper =
      errand.data.location ? member(*errand.data.location) : std::nullopt;
  if (!keeper || keeper->life == engine_.node().self()) return;
  engine_.node().send(keeper->life, node::packed(node::PayloadKind::outdated,
                                                 node::Outdated{errand.lock, errand.data.version}));
}

void DataDesk::outdated(const std::string& lock, std::uint64_t version) {
  auto found = stocks_.find(lock);
  if (found == stocks_.end()) return;
  found->second.outdated = std::max(found->second.outdated, version);
  drop_if_useless(lock);
}

void DataDesk::follow_view() {
  streams_.follow_view(engine_.node().steward().view());
  view_changed_.notify_all();
  for (Errand* errand : errands_) errand->woken.notify_all();
}

void DataDesk::forget() {
  streams_.drop_all();
  for (auto& [lock, stock] : stocks_) {
    unsigned handles = stock.handles;
    stock = Stock();
    stock.handles = handles;
  }
}

void DataDesk::spawn(std::function<void()> work) {
  std::lock_guard guard(threads_mutex_);
  std::thread([this, work = std::move(work)] {
    work();
    std::lock_guard guard(threads_mutex_);
    --threads_;
    threads_changed_.notify_all();
  }).detach();
  ++threads_;
}

void DataDesk::stop() {
  streams_.close();
  {
    Guard guard = engine_.guard();
    for (Errand* errand : errands_) errand->cancel();
    view_changed_.notify_all();
  }
  Guard guard(threads_mutex_);
  threads_changed_.wait(guard, [&] { return threads_ == 0; });
}

}  // namespace conch::peer
