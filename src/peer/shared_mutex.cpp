#include <conch/shared_mutex.hpp>

#include "peer/thread_locks.hpp"

namespace conch {

struct SharedMutex::State : peer::ThreadLocks {
  using ThreadLocks::ThreadLocks;
};

SharedMutex::SharedMutex(Peer& peer, const std::string& name) {
  if (!peer.engine().algorithm().can.shared) throw Error(peer.engine().why_not_shared());
  state_ = std::make_unique<State>(peer.engine(), name);
}
SharedMutex::~SharedMutex() = default;

void SharedMutex::lock() { state_->lock(Mode::write, std::nullopt); }
bool SharedMutex::try_lock() { return state_->try_lock(Mode::write); }
bool SharedMutex::try_lock_until(const std::chrono::steady_clock::time_point& deadline) {
  return state_->lock(Mode::write, peer::until(deadline));
}
void SharedMutex::unlock() { state_->unlock(); }

void SharedMutex::lock_shared() { state_->lock(Mode::read, std::nullopt); }
bool SharedMutex::try_lock_shared() { return state_->try_lock(Mode::read); }
bool SharedMutex::try_lock_shared_until(const std::chrono::steady_clock::time_point& deadline) {
  return state_->lock(Mode::read, peer::until(deadline));
}
void SharedMutex::unlock_shared() { state_->unlock(); }

std::uint64_t SharedMutex::fence() const { return state_->fence(); }
bool SharedMutex::holds() const { return state_->holds(); }
void SharedMutex::on_lost(std::function<void()> callback) { state_->on_lost(std::move(callback)); }
const std::string& SharedMutex::name() const { return state_->name(); }

}  // namespace conch
