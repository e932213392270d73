#include <conch/mutex.hpp>

#include "peer/thread_locks.hpp"

namespace conch {

struct Mutex::State : peer::ThreadLocks {
  using ThreadLocks::ThreadLocks;
};

Mutex::Mutex(Peer& peer, const std::string& name)
    : state_(std::make_unique<State>(peer.engine(), name)) {}
Mutex::~Mutex() {
  if (state_->is_inherited()) peer::abandon(std::move(state_));
}

void Mutex::lock() { state_->lock(Mode::write); }
bool Mutex::try_lock() { return state_->try_lock(Mode::write); }
bool Mutex::try_lock_by(const Deadline& deadline) {
  return state_->try_lock_by(Mode::write, deadline);
}
void Mutex::unlock() { state_->unlock(); }

std::uint64_t Mutex::fence() const { return state_->fence(); }
bool Mutex::holds() const { return state_->holds(); }
Receipt Mutex::receipt() const { return state_->receipt(); }
void Mutex::on_lost(std::function<void()> callback) { state_->on_lost(std::move(callback)); }
const std::string& Mutex::name() const { return state_->name(); }

}  // namespace conch
