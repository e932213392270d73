#include "dho/handle.hpp"

#include <utility>

#include "dho/parts.hpp"

namespace conch::dho {

PeerState Handle::peer() const {
  switch (state_) {
    case State::invalid:
    case State::lost: return PeerState::exit;
    case State::valid:
    case State::unlock: return PeerState::idle;
    case State::req:
    case State::grant: return PeerState::req;
    case State::blocked: return PeerState::blocked;
    case State::fetch: return acquiring_ ? PeerState::blocked : PeerState::req;
    case State::locked: return PeerState::locked;
  }
  return PeerState::exit;
}

std::optional<Fence> Handle::fence() const {
  if (lock_ != Lock::held) return std::nullopt;
  return fence_;
}

// Calls of the application.

CallStatus Handle::create(std::string_view name, Orders& out) {
  if (name.empty()) return CallStatus::invalid;
  switch (state_) {
    case State::invalid: return create_anew(name, out);
    case State::lost: join(name, out); return CallStatus::waiting;
    case State::valid:
    case State::unlock: return name == name_ ? CallStatus::ignored : CallStatus::busy;
    case State::req:
    case State::grant:
    case State::fetch:
      if (acquiring_ || name != name_) return CallStatus::busy;
      give_up(out);
      return CallStatus::ok;
    case State::blocked:
    case State::locked: return CallStatus::busy;
  }
  return CallStatus::invalid;
}

/// Creates an invalid handle, which may still be on its way out, or already on its way in.
CallStatus Handle::create_anew(std::string_view name, Orders& out) {
  if (is_creating())
    return name == back_as_.value_or(name_) ? CallStatus::ignored : CallStatus::busy;
  if (departing_) {
    back_as_ = name;
  } else {
    join(name, out);
  }
  return CallStatus::waiting;
}

bool Handle::is_creating() const {
  return departing_ ? back_as_.has_value() : bond_ == Bond::joining;
}

void Handle::join(std::string_view name, Orders& out) {
  name_ = name;
  state_ = State::invalid;
  bond_ = Bond::joining;
  keeps_ = false;
  out.push_back(Join{});
}

CallStatus Handle::request(Mode mode, Orders& out) {
  switch (state_) {
    case State::invalid: return CallStatus::invalid;
    case State::lost: return CallStatus::peer_lost;
    case State::blocked:
    case State::locked: return CallStatus::busy;
    case State::valid:
    case State::unlock:
    case State::req:
    case State::grant:
    case State::fetch: break;
  }
  if (acquiring_) return CallStatus::busy;
  drop();
  wish_ = mode;
  state_ = State::req;
  proceed(out);
  return CallStatus::ok;
}

CallStatus Handle::acquire(Orders& out) {
  switch (state_) {
    case State::invalid: return CallStatus::invalid;
    case State::lost: return CallStatus::peer_lost;
    case State::valid:
    case State::unlock: return CallStatus::not_requested;
    case State::req:
      state_ = State::blocked;
      acquiring_ = true;
      return CallStatus::waiting;
    case State::grant: return take(out);
    case State::fetch:
      if (std::exchange(acquiring_, true)) return CallStatus::busy;
      return CallStatus::waiting;
    case State::blocked: return CallStatus::busy;
    case State::locked: return CallStatus::ok;
  }
  return CallStatus::invalid;
}

/// The application acquires a lock that is here.
CallStatus Handle::take(Orders& out) {
  if (data_ != Data::here) {
    bring(out);
    acquiring_ = true;
    return CallStatus::waiting;
  }
  if (fault_ == CallStatus::no_memory) data_ = Data::elsewhere;  // There may be memory next time.
  if (fault_ != CallStatus::ok) return std::exchange(fault_, CallStatus::ok);
  state_ = State::locked;
  return CallStatus::ok;
}

/// The application waits, and all that can be had is here.
void Handle::finish_acquire(Orders& out) {
  CallStatus status = take(out);
  end_acquire(status == CallStatus::ok ? Order(Acquired{}) : Order(AcquireFailed{status}), out);
}

CallStatus Handle::acquire(Duration patience, Orders& out) {
  CallStatus status = acquire(out);
  if (status != CallStatus::waiting) return status;
  if (patience <= Duration::zero()) {
    stop_waiting();
    return CallStatus::timed_out;
  }
  armed_ = true;
  out.push_back(Arm{patience});
  return status;
}

void Handle::deadline(Orders& out) {
  if (!std::exchange(armed_, false)) return;  // it crossed the end of the call
  stop_waiting();
  out.push_back(AcquireFailed{CallStatus::timed_out});
}

/// The application no longer waits; its request stays.
void Handle::stop_waiting() {
  acquiring_ = false;
  if (state_ == State::blocked) state_ = State::req;
}

CallStatus Handle::release(Orders& out) {
  if (state_ != State::locked) return cancel(out);
  drop();
  rest();
  proceed(out);
  return CallStatus::ok;
}

CallStatus Handle::cancel(Orders& out) {
  switch (state_) {
    case State::invalid:
    case State::valid:
    case State::unlock: return CallStatus::ignored;
    case State::lost: return CallStatus::peer_lost;
    case State::locked: return CallStatus::busy;
    case State::req:
    case State::grant:
    case State::blocked:
    case State::fetch: give_up(out); return CallStatus::ok;
  }
  return CallStatus::invalid;
}

CallStatus Handle::destroy(Orders& out) {
  switch (state_) {
    case State::invalid: return destroy_unborn(out);
    case State::lost: state_ = State::invalid; return CallStatus::ok;
    case State::valid:
    case State::unlock: break;
    case State::req:
    case State::grant:
    case State::blocked:
    case State::fetch: give_up(out); break;
    case State::locked: release(out); break;
  }
  state_ = State::invalid;
  departing_ = true;
  proceed(out);
  return CallStatus::ok;
}

/// Destroys a handle that is not valid yet, or already on its way out.
CallStatus Handle::destroy_unborn(Orders& out) {
  if (!is_creating()) return CallStatus::ignored;
  departing_ = true;
  back_as_.reset();
  out.push_back(CreateFailed{CallStatus::cancelled});
  return CallStatus::ok;
}

CallStatus Handle::resize(std::uint64_t size) {
  switch (state_) {
    case State::invalid: return CallStatus::invalid;
    case State::lost: return CallStatus::peer_lost;
    case State::valid:
    case State::unlock:
    case State::req:
    case State::grant:
    case State::blocked:
    case State::fetch: return CallStatus::not_held;
    case State::locked: break;
  }
  if (asked_ != Mode::write) return CallStatus::not_held;
  size_ = size;
  return CallStatus::ok;
}

std::optional<Handle> Handle::duplicate(std::uint64_t offset, std::uint64_t length,
                                        Orders& out) const {
  bool is_valid = state_ != State::invalid && state_ != State::lost;
  Range window = slice(window_, offset, length);
  if (!is_valid || window.begin == window.end) return std::nullopt;
  Handle other(options_);
  other.window_ = window;
  other.join(name_, out);
  return other;
}

/// Gives up what the application requested.
void Handle::give_up(Orders& out) {
  drop();
  end_acquire(AcquireFailed{CallStatus::cancelled}, out);
  rest();
  proceed(out);
}

void Handle::drop() {
  wish_.reset();
  if (lock_ != Lock::idle) abandoned_ = true;
}

void Handle::end_acquire(const Order& end, Orders& out) {
  if (!std::exchange(acquiring_, false)) return;
  if (std::exchange(armed_, false)) out.push_back(Disarm{});
  out.push_back(end);
}

// The lock manager.

/// Brings the lock manager in line with what is wanted: orders the next step towards it.
void Handle::proceed(Orders& out) {
  if (bond_ != Bond::member) return;
  if (lock_ == Lock::held && abandoned_) let_go(out);
  switch (lock_) {
    case Lock::withdrawing:
    case Lock::held: return;
    case Lock::idle:
      if (departing_) {
        bond_ = Bond::leaving;
        out.push_back(Leave{});
      } else if (wish_) {
        lock_ = Lock::asked;
        asked_ = *wish_;
        out.push_back(Ask{asked_});
      }
      return;
    case Lock::asked:
      if (!abandoned_) return;
      lock_ = Lock::withdrawing;
      out.push_back(Cancel{});
      return;
  }
}

void Handle::let_go(Orders& out) {
  forget_lock();
  out.push_back(Release{});
}

void Handle::joined(Orders& out) {
  CONCH_EXPECT(bond_ == Bond::joining, "only a handle that asked to join is told that it has");
  bond_ = Bond::member;
  if (departing_) return proceed(out);
  rest();
  out.push_back(Created{});
}

void Handle::withdrawn(Orders& out) {
  CONCH_EXPECT(lock_ == Lock::withdrawing, "only a cancelled request is withdrawn");
  lock_ = Lock::idle;
  abandoned_ = false;
  proceed(out);
}

void Handle::entered(const Baton& baton, Orders& out) {
  CONCH_EXPECT(lock_ == Lock::asked && !abandoned_, "only a request that is not given up enters");
  lock_ = Lock::held;
  fence_ = baton.fence;
  find(baton.data);
  state_ = State::grant;
  bool is_wanted_now = acquiring_ || options_.prefetch;
  if (data_ == Data::elsewhere && is_wanted_now) return bring(out);
  if (acquiring_) finish_acquire(out);
}

/// Assumes that the data are elsewhere whenever they exist: the data mover knows if they are here.
void Handle::find(const DataRef& data) {
  size_ = data.size;
  data_ = data.location && size_ > 0 ? Data::elsewhere : Data::here;
}

void Handle::moved(const DataRef& data) {
  if (state_ == State::fetch) size_ = data.size;
  if (state_ == State::grant) find(data);
}

void Handle::bring(Orders& out) {
  state_ = State::fetch;
  if (std::exchange(data_, Data::coming) != Data::coming) out.push_back(Bring{});
}

void Handle::brought(CallStatus status, Orders& out) {
  if (data_ != Data::coming) return;  // The lock was given up meanwhile.
  data_ = Data::here;
  if (status != CallStatus::ok) fault_ = status;
  state_ = State::grant;
  if (acquiring_) finish_acquire(out);
}

void Handle::keep(bool is_only_here) {
  keeps_ = is_only_here;
  if (state_ == State::valid || state_ == State::unlock) rest();
}

void Handle::left(Orders& out) {
  CONCH_EXPECT(bond_ == Bond::leaving, "only a leaving handle is told that it has left");
  end_departure(out);
}

void Handle::end_departure(Orders& out) {
  bond_ = Bond::outside;
  departing_ = false;
  if (auto name = std::exchange(back_as_, std::nullopt)) join(*name, out);
}

void Handle::lost(Orders& out) {
  if (bond_ == Bond::outside) return;
  end_acquire(AcquireFailed{CallStatus::peer_lost}, out);
  wish_.reset();
  forget_lock();
  keeps_ = false;
  if (departing_) return end_departure(out);
  if (is_creating()) out.push_back(CreateFailed{CallStatus::peer_lost});
  bond_ = Bond::outside;
  state_ = State::lost;
}

void Handle::forget_lock() {
  lock_ = Lock::idle;
  abandoned_ = false;
  data_ = Data::here;
  fault_ = CallStatus::ok;
}

}  // namespace conch::dho
