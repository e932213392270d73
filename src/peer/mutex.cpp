// Implements Mutex and SharedMutex.
#include <fmt/core.h>

#include <algorithm>
#include <conch/deadline.hpp>
#include <conch/mutex.hpp>
#include <conch/receipt.hpp>
#include <conch/shared_mutex.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "peer/engine.hpp"
#include "peer/thread_claim.hpp"

namespace conch::peer {

/// A lock as the threads of this process use it, each with a claim of its own.
class ThreadLocks {
 public:
  ThreadLocks(Engine& engine, const std::string& name);
  /// Gives up the claims of all threads that are inside or wait.
  ~ThreadLocks();

  // These throw Error, e.g. if this thread has already locked it or the peer has left its group.

  void lock(Mode mode) { lock_by(mode, Deadline()); }
  bool try_lock(Mode mode);
  /// Returns false if the lock does not come in time. A deadline that has passed makes it a
  /// `try_lock`.
  bool try_lock_by(Mode mode, const Deadline& deadline);
  void unlock();

  std::uint64_t fence() const;
  bool holds() const;
  Receipt receipt() const;
  void on_lost(std::function<void()> callback);

  const std::string& name() const { return local_lock_.name; }
  /// A forked child must abandon it, not destroy it.
  bool is_inherited() const { return engine_.is_inherited(); }

 private:
  class Visit;

  Visit& begin(Mode mode);
  bool lock_by(Mode mode, const Deadline& deadline);
  Duration try_patience() const;
  bool conclude(Visit& visit, const Guard& guard);
  void end(Visit& visit);
  Visit* mine() const;
  const Visit& mine_inside() const;

  /// Keeps the engine alive, as the mutex may outlive the peer.
  std::shared_ptr<Engine> kept_;
  Engine& engine_;
  LocalLock& local_lock_;
  /// The claims of threads that wait or are inside, and spare ones for reuse.
  std::vector<std::unique_ptr<Visit>> visits_;
  std::vector<std::unique_ptr<Visit>> spare_;
  std::function<void()> lost_;
};

/// The claim of one thread.
class ThreadLocks::Visit final : public ThreadClaim {
 public:
  Visit(ThreadLocks& locks, Mode mode) : ThreadClaim(mode), locks_(locks) {}

  void changed() override {
    ThreadClaim::changed();
    if (state == State::lost && locks_.lost_) locks_.engine_.call_later(locks_.lost_);
  }

 private:
  ThreadLocks& locks_;
};

ThreadLocks::ThreadLocks(Engine& engine, const std::string& name)
    : kept_(engine.shared_from_this()),
      engine_(engine),
      local_lock_(engine.open_local_lock(name)) {}

ThreadLocks::~ThreadLocks() {
  {
    Guard guard = engine_.guard();
    for (auto& visit : visits_) engine_.give_up(*visit, guard);
  }
  engine_.close_local_lock(local_lock_);
}

ThreadLocks::Visit& ThreadLocks::begin(Mode mode) {
  if (mine() || is_locked_by_this_thread(local_lock_))
    throw Error(
        ErrorCode::deadlock,
        fmt::format("this thread already holds '{}': it would wait for itself", local_lock_.name));
  if (spare_.empty()) spare_.push_back(std::make_unique<Visit>(*this, mode));
  visits_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  Visit& visit = *visits_.back();
  visit.mode = mode;
  visit.thread = std::this_thread::get_id();
  return visit;
}

bool ThreadLocks::lock_by(Mode mode, const Deadline& deadline) {
  Guard guard = engine_.guard();
  Visit& visit = begin(mode);
  try {
    engine_.request(visit, local_lock_, guard);
    engine_.wait(visit, deadline, guard);
  } catch (...) {  // A caller's clock may throw while the visit is in the queue.
    engine_.give_up(visit, guard);
    end(visit);
    throw;
  }
  return conclude(visit, guard);
}

bool ThreadLocks::try_lock_by(Mode mode, const Deadline& deadline) {
  return deadline.has_come() ? try_lock(mode) : lock_by(mode, deadline);
}

/// If another thread or client of this peer is ahead, the answer is known without asking.
bool ThreadLocks::try_lock(Mode mode) {
  bool busy = false;
  Duration patience{};
  {
    Guard guard = engine_.guard();
    busy = !local_lock_.queue.idle() && !(mode == Mode::read && local_lock_.queue.is_read());
    patience = try_patience();
  }
  return !busy && lock_by(mode, Deadline::after(patience));
}

/// Locks are ordered by name, and a thread that holds a later one gives up sooner. If threads that
/// lock two in opposite orders were equally patient, each would get the lock that another has just
/// given up, and they could go round like that for ever.
Duration ThreadLocks::try_patience() const {
  Duration whole = engine_.options().try_patience;
  const auto& local_locks = engine_.node().local_locks();
  bool holds_later = std::any_of(
      local_locks.upper_bound(name()), local_locks.end(),
      [](const auto& local_lock) { return is_locked_by_this_thread(*local_lock.second); });
  return holds_later ? whole / 4 : whole;
}

bool ThreadLocks::conclude(Visit& visit, const Guard& guard) {
  if (visit.state == Claim::State::inside || visit.state == Claim::State::lost) return true;
  bool refused = visit.state == Claim::State::refused;
  engine_.give_up(visit, guard);
  end(visit);
  if (refused) engine_.fail_because_left();
  return false;
}

void ThreadLocks::unlock() {
  Guard guard = engine_.guard();
  Visit* visit = mine();
  if (!visit)
    throw Error(ErrorCode::misuse, fmt::format("this thread does not hold '{}'", local_lock_.name));
  engine_.give_up(*visit, guard);
  end(*visit);
}

void ThreadLocks::end(Visit& visit) {
  auto found = std::find_if(visits_.begin(), visits_.end(),
                            [&](const auto& each) { return each.get() == &visit; });
  spare_.push_back(std::move(*found));
  visits_.erase(found);
}

ThreadLocks::Visit* ThreadLocks::mine() const {
  for (const auto& visit : visits_)
    if (visit->thread == std::this_thread::get_id()) return visit.get();
  return nullptr;
}

const ThreadLocks::Visit& ThreadLocks::mine_inside() const {
  const Visit* visit = mine();
  if (!visit || visit->state == Claim::State::waiting)
    throw Error(ErrorCode::misuse, fmt::format("this thread does not hold '{}'", local_lock_.name));
  return *visit;
}

std::uint64_t ThreadLocks::fence() const {
  Guard guard = engine_.guard();
  return mine_inside().fence.number();
}

bool ThreadLocks::holds() const {
  Guard guard = engine_.guard();
  const Visit* visit = mine();
  return visit && visit->state == Claim::State::inside && engine_.has_lease();
}

Receipt ThreadLocks::receipt() const {
  Guard guard = engine_.guard();
  return mine_inside().receipt;
}

void ThreadLocks::on_lost(std::function<void()> callback) {
  Guard guard = engine_.guard();
  lost_ = std::move(callback);
}

}  // namespace conch::peer

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
