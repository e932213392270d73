#include <conch/shared_mutex.hpp>

#include "peer/thread_locks.hpp"

namespace conch {

struct SharedMutex::State : peer::ThreadLocks {
  using ThreadLocks::ThreadLocks;
};

SharedMutex::SharedMutex(Peer& peer, const std::string& name) {
  peer.engine().expect_sharing();
  state_ = std::make_unique<State>(peer.engine(), name);
}
SharedMutex::~SharedMutex() {
  if (state_->is_inherited()) peer::abandon(std::move(state_));
}

void SharedMutex::lock() { state_->lock(Mode::write); }
bool SharedMutex::try_lock() { return state_->try_lock(Mode::write); }
bool SharedMutex::try_lock_by(const Deadline& deadline) {
  return state_->try_lock_by(Mode::write, deadline);
}
void SharedMutex::unlock() { state_->unlock(); }

void SharedMutex::lock_shared() { state_->lock(Mode::read); }
bool SharedMutex::try_lock_shared() { return state_->try_lock(Mode::read); }
bool SharedMutex::try_lock_shared_by(const Deadline& deadline) {
  return state_->try_lock_by(Mode::read, deadline);
}
void SharedMutex::unlock_shared() { state_->unlock(); }

std::uint64_t SharedMutex::fence() const { return state_->fence(); }
bool SharedMutex::holds() const { return state_->holds(); }
void SharedMutex::on_lost(std::function<void()> callback) { state_->on_lost(std::move(callback)); }
const std::string& SharedMutex::name() const { return state_->name(); }

}  // namespace conch
