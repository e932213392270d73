#include "dho/handle.hpp"

#include <utility>

namespace conch::dho {

namespace {

/// The bytes from `offset` on in a range, so many of them or as many as there are.
Range slice(const Range& range, std::uint64_t offset, std::uint64_t length) {
  std::uint64_t room = range.end - range.begin;
  std::uint64_t begin = range.begin + std::min(offset, room);
  return {begin, begin + std::min(length, range.end - begin)};
}

bool is_empty(const Range& range) { return range.begin >= range.end; }

}  // namespace

Handle::Handle(NodeId self, const Members& members, const Options& options)
    : self_(self), options_(options), members_(members) {}

Peer Handle::peer() const {
  switch (state_) {
    case State::invalid:
    case State::lost: return Peer::exit;
    case State::valid:
    case State::unlock: return Peer::idle;
    case State::req:
    case State::grant: return Peer::req;
    case State::blocked: return Peer::blocked;
    case State::fetch: return acquiring_ ? Peer::blocked : Peer::req;
    case State::locked: return Peer::locked;
  }
  return Peer::exit;
}

std::optional<Fence> Handle::fence() const {
  if (parts_.empty()) return std::nullopt;
  return fence_;
}

// Calls of the application.

Status Handle::create(std::string_view name, Orders& out) {
  if (name.empty()) return Status::invalid;
  switch (state_) {
    case State::invalid: return create_anew(name, out);
    case State::lost: join(name, out); return Status::waiting;
    case State::valid:
    case State::unlock: return name == name_ ? Status::ignored : Status::busy;
    case State::req:
    case State::grant:
    case State::fetch:
      if (acquiring_ || name != name_) return Status::busy;
      give_up(out);
      return Status::ok;
    case State::blocked:
    case State::locked: return Status::busy;
  }
  return Status::invalid;
}

/// Of an invalid handle, which may still be on its way out, or already on its way in.
Status Handle::create_anew(std::string_view name, Orders& out) {
  if (is_creating()) return name == coming_name() ? Status::ignored : Status::busy;
  if (departure_) {
    departure_->back_as = name;
  } else {
    join(name, out);
  }
  return Status::waiting;
}

bool Handle::is_creating() const {
  return departure_ ? departure_->back_as.has_value() : bond_ == Bond::joining;
}

const std::string& Handle::coming_name() const {
  return departure_ && departure_->back_as ? *departure_->back_as : name_;
}

void Handle::join(std::string_view name, Orders& out) {
  name_ = name;
  state_ = State::invalid;
  bond_ = Bond::joining;
  copies_.clear();
  out.order(Join{});
}

Status Handle::request(const Wish& wish, Orders& out) {
  switch (state_) {
    case State::invalid: return Status::invalid;
    case State::lost: return Status::peer_lost;
    case State::blocked:
    case State::locked: return Status::busy;
    case State::valid:
    case State::unlock:
    case State::req:
    case State::grant:
    case State::fetch: break;
  }
  if (acquiring_) return Status::busy;
  Range range = intersection(wish.range, window_);
  if (is_empty(range)) return Status::invalid;
  drop();
  wish_ = Wish{wish.mode, range};
  state_ = State::req;
  proceed(out);
  return Status::ok;
}

Status Handle::acquire(Orders& out) {
  switch (state_) {
    case State::invalid: return Status::invalid;
    case State::lost: return Status::peer_lost;
    case State::valid:
    case State::unlock: return Status::not_requested;
    case State::req:
      state_ = State::blocked;
      acquiring_ = true;
      return Status::waiting;
    case State::grant: return take(out);
    case State::fetch:
      if (std::exchange(acquiring_, true)) return Status::busy;
      return Status::waiting;
    case State::blocked: return Status::busy;
    case State::locked: return Status::ok;
  }
  return Status::invalid;
}

/// The application comes for a lock that is here.
Status Handle::take(Orders& out) {
  gather(out);
  if (!gathered_) {
    state_ = State::fetch;
    acquiring_ = true;
    return Status::waiting;
  }
  if (fault_ == Status::no_memory) gathered_ = false;  // Perhaps there is some next time.
  if (fault_ != Status::ok) return std::exchange(fault_, Status::ok);
  lock(out);
  return Status::ok;
}

Status Handle::acquire(Duration patience, Orders& out) {
  Status status = acquire(out);
  if (status != Status::waiting) return status;
  if (patience <= Duration::zero()) {
    stop_waiting();
    return Status::timed_out;
  }
  armed_ = true;
  out.order(Arm{patience});
  return status;
}

void Handle::deadline(Orders& out) {
  if (!std::exchange(armed_, false)) return;  // it crossed the end of the call
  stop_waiting();
  out.order(AcquireFailed{Status::timed_out});
}

/// The application does not wait any more; its request stays.
void Handle::stop_waiting() {
  acquiring_ = false;
  if (state_ == State::blocked) state_ = State::req;
}

Status Handle::release(Orders& out) {
  if (state_ != State::locked) return cancel(out);
  drop();
  rest();
  if (asked_.mode == Mode::write) {
    write_back(out);
  } else {
    give_back(parts_.front().baton.data, out);
  }
  return Status::ok;
}

Status Handle::cancel(Orders& out) {
  switch (state_) {
    case State::invalid:
    case State::valid:
    case State::unlock: return Status::ignored;
    case State::lost: return Status::peer_lost;
    case State::locked: return Status::busy;
    case State::req:
    case State::grant:
    case State::blocked:
    case State::fetch: give_up(out); return Status::ok;
  }
  return Status::invalid;
}

Status Handle::destroy(Orders& out) {
  switch (state_) {
    case State::invalid: return destroy_unborn(out);
    case State::lost:
      state_ = State::invalid;
      copies_.clear();
      return Status::ok;
    case State::valid:
    case State::unlock: break;
    case State::req:
    case State::grant:
    case State::blocked:
    case State::fetch: give_up(out); break;
    case State::locked: release(out); break;
  }
  state_ = State::invalid;
  departure_ = Departure{};
  proceed(out);
  return Status::ok;
}

/// Of a handle that is not valid yet, or already on its way out.
Status Handle::destroy_unborn(Orders& out) {
  if (!is_creating()) return Status::ignored;
  if (!departure_) departure_ = Departure{};
  departure_->back_as.reset();
  out.order(CreateFailed{Status::cancelled});
  return Status::ok;
}

Status Handle::resize(std::uint64_t size) {
  switch (state_) {
    case State::invalid: return Status::invalid;
    case State::lost: return Status::peer_lost;
    case State::valid:
    case State::unlock:
    case State::req:
    case State::grant:
    case State::blocked:
    case State::fetch: return Status::not_held;
    case State::locked: break;
  }
  if (asked_.mode != Mode::write) return Status::not_held;
  bool owns_the_end = span_.end == Range{}.end && size >= span_.begin;
  if (!owns_the_end) return Status::invalid;
  size_ = size;
  return Status::ok;
}

std::optional<Handle> Handle::duplicate(NodeId self, std::uint64_t offset, std::uint64_t length,
                                        Orders& out) const {
  bool is_valid = state_ != State::invalid && state_ != State::lost;
  Range window = slice(window_, offset, length);
  if (!is_valid || is_empty(window)) return std::nullopt;
  Handle other(self, members_, options_);
  other.window_ = window;
  other.join(name_, out);
  return other;
}

/// The application does not want what it asked for.
void Handle::give_up(Orders& out) {
  drop();
  end_acquire(AcquireFailed{Status::cancelled}, out);
  rest();
  proceed(out);
}

void Handle::drop() {
  wish_.reset();
  if (lock_ != Lock::idle) abandoned_ = true;
}

void Handle::end_acquire(const Order& end, Orders& out) {
  if (!std::exchange(acquiring_, false)) return;
  if (std::exchange(armed_, false)) out.order(Disarm{});
  out.order(end);
}

void Handle::rest() { state_ = copies_.empty() ? State::valid : State::unlock; }

/// After what is kept has changed.
void Handle::copies_changed(Orders& out) {
  if (state_ == State::valid || state_ == State::unlock) rest();
  if (departure_) proceed(out);
}

// The lock manager.

/// Brings what the lock manager does in line with what is wanted.
void Handle::proceed(Orders& out) {
  if (bond_ != Bond::member) return;
  switch (lock_) {
    case Lock::withdrawing: return;
    case Lock::idle:
      if (departure_) return depart(out);
      if (wish_) ask(*wish_, out);
      return;
    case Lock::asked:
      if (departure_ && copies_.empty()) abandoned_ = true;
      if (!abandoned_) return;
      lock_ = Lock::withdrawing;
      return out.order(Cancel{});
    case Lock::held:
      if (!transfers_.empty()) return;  // nobody is asked for data after having left
      if (abandoned_) return let_go(out);
      if (departure_) bequeath(out);
      return;
  }
}

void Handle::ask(const Wish& wish, Orders& out) {
  lock_ = Lock::asked;
  asked_ = wish;
  out.order(Ask{wish});
}

void Handle::joined(Orders& out) {
  CONCH_EXPECT(bond_ == Bond::joining, "who joins has asked to");
  bond_ = Bond::member;
  if (departure_) return proceed(out);
  rest();
  out.order(Created{});
}

void Handle::withdrawn(Orders& out) {
  CONCH_EXPECT(lock_ == Lock::withdrawing, "who withdraws has cancelled");
  lock_ = Lock::idle;
  abandoned_ = false;
  proceed(out);
}

void Handle::entered(const Entered& entered, Orders& out) {
  CONCH_EXPECT(lock_ == Lock::asked && !abandoned_, "who enters has asked and not cancelled");
  hold(entered);
  if (departure_) return proceed(out);
  bool wanted_now = acquiring_ || options_.prefetch;
  state_ = State::grant;
  if (wanted_now) gather(out);
  if (!transfers_.empty()) {
    state_ = State::fetch;
  } else if (acquiring_) {
    finish_acquire(out);
  }
}

void Handle::hold(const Entered& entered) {
  lock_ = Lock::held;
  fence_ = entered.baton.fence;
  span_ = asked_.range;
  parts_ = entered.parts;
  if (parts_.empty()) {
    span_ = Range{};
    parts_ = {Part{span_, entered.baton}};
  }
  size_ = parts_.back().baton.data.size;
  for (const Part& part : parts_) learn(part);
}

/// What is newer elsewhere need not be kept; what should be here and is not was lost with us.
void Handle::learn(const Part& part) {
  const DataRef& data = part.baton.data;
  if (data.location != self_) {
    copies_.drop(part.range, data.version);
  } else if (!copies_.have(part.range, data)) {
    fault_ = Status::peer_lost;
  }
}

void Handle::left(Orders& out) {
  CONCH_EXPECT(bond_ == Bond::leaving, "who has left wanted to");
  end_departure(out);
}

void Handle::end_departure(Orders& out) {
  bond_ = Bond::outside;
  copies_.clear();
  std::optional<std::string> back_as = departure_->back_as;
  departure_.reset();
  if (back_as) join(*back_as, out);
}

void Handle::lost(Orders& out) {
  if (bond_ == Bond::outside) return;
  bool torn = state_ == State::locked && asked_.mode == Mode::write;
  if (torn) copies_.drop(span_);
  end_acquire(AcquireFailed{Status::peer_lost}, out);
  wish_.reset();
  forget_lock();
  if (departure_) return end_departure(out);
  if (is_creating()) out.order(CreateFailed{Status::peer_lost});
  bond_ = Bond::outside;
  state_ = State::lost;
}

void Handle::forget_lock() {
  lock_ = Lock::idle;
  abandoned_ = false;
  parts_.clear();
  transfers_.clear();
  gathered_ = false;
  fault_ = Status::ok;
  if (departure_) departure_->heir.reset();  // without the lock there is nothing to give
}

}  // namespace conch::dho
