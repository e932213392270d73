#include "capi/groups.hpp"

#include <cstdlib>
#include <utility>

#include "capi/failure.hpp"
#include "capi/own_in_each_process.hpp"

namespace conch::capi {

Groups& Groups::of_process() {
  return own_in_each_process<Groups>([](const Groups&) { return new Groups; });
}

std::string Groups::meant(const char* given) {
  if (given != nullptr && *given != '\0') return given;
  {
    std::lock_guard guard(mutex_);
    if (!default_.empty()) return default_;
  }
  const char* variable = std::getenv("CONCH_GROUP");  // NOLINT(concurrency-mt-unsafe)
  return variable != nullptr && *variable != '\0' ? variable : "default";
}

void Groups::set_default(const std::string& group) {
  std::lock_guard guard(mutex_);
  default_ = group;
}

std::shared_ptr<Peer> Groups::join(const PeerOptions& options) {
  auto deadline = std::chrono::steady_clock::now() + options.admission_patience;
  if (auto peer = joined_or_mine(options.group, deadline)) return peer;
  try {
    return enter(options);
  } catch (const Error& error) {
    forget(options.group);
    if (std::chrono::steady_clock::now() < deadline) throw;
    throw Failure{ETIMEDOUT, error.what()};
  } catch (...) {
    forget(options.group);
    throw;
  }
}

/// Returns the peer if the group is joined. Otherwise marks the group as the caller's: it joins the
/// group, or calls `forget`.
std::shared_ptr<Peer> Groups::joined_or_mine(const std::string& group, Deadline deadline) {
  std::unique_lock guard(mutex_);
  for (;;) {
    auto [found, added] = peers_.try_emplace(group);
    if (added) return nullptr;
    if (auto peer = found->second.lock()) return peer;
    if (changed_.wait_until(guard, deadline) == std::cv_status::timeout)
      throw Failure{ETIMEDOUT,
                    "another thread of this process is taking too long to join or leave " + group};
  }
}

std::shared_ptr<Peer> Groups::enter(const PeerOptions& options) {
  auto leave = [this, group = options.group](Peer* peer) {
    delete peer;
    forget(group);
  };
  std::shared_ptr<Peer> peer(new Peer(options), std::move(leave));
  std::lock_guard guard(mutex_);
  peers_[options.group] = peer;
  changed_.notify_all();
  if (!std::exchange(leaves_at_exit_, true)) {
    // Registered after the first join, it runs before the statics of that join are destroyed.
    std::atexit([] { of_process().leave_all_at_exit(); });
  }
  return peer;
}

void Groups::forget(const std::string& group) {
  std::lock_guard guard(mutex_);
  peers_.erase(group);
  changed_.notify_all();
}

void Groups::keep(const std::string& group, std::shared_ptr<Peer> peer) {
  std::lock_guard guard(mutex_);
  kept_[group].push_back(std::move(peer));
}

std::shared_ptr<Peer> Groups::take_back(const std::string& group) {
  std::lock_guard guard(mutex_);
  auto found = kept_.find(group);
  if (found == kept_.end()) return nullptr;
  std::shared_ptr<Peer> peer = std::move(found->second.back());
  found->second.pop_back();
  if (found->second.empty()) kept_.erase(found);
  return peer;
}

/// Leaves the groups that the program has not left. Other threads may still wait; their calls fail,
/// but no object that they use is destroyed.
void Groups::leave_all_at_exit() {
  std::vector<std::shared_ptr<Peer>> peers;
  {
    std::lock_guard guard(mutex_);
    for (const auto& [group, peer] : peers_)
      if (auto alive = peer.lock()) peers.push_back(std::move(alive));
  }
  for (const auto& peer : peers) peer->leave();
}

}  // namespace conch::capi
