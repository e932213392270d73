#include "peer/data_handle.hpp"

#include <algorithm>

#include "dho/parts.hpp"
#include "node/names.hpp"

namespace conch::peer {

DataHandle::DataHandle(Engine& engine, const DataOptions& options)
    : ThreadClaim(Mode::write),
      kept_(engine.shared_from_this()),
      engine_(engine),
      options_(options),
      handle_({options.prefetch}) {
  if (std::string why = engine.why_no_data(); !why.empty())
    throw Error(ErrorCode::unsupported, why);
}

DataHandle::~DataHandle() {
  if (line_) destroy();
}

// Calls.

dho::CallStatus DataHandle::create(const std::string& name) {
  node::check_lock_name(name);
  Guard guard = engine_.guard();
  if (leaving_) return dho::CallStatus::busy;
  return carried_out(handle_.create(name, orders_));
}

dho::CallStatus DataHandle::request(Mode wanted) {
  Guard guard = engine_.guard();
  if (leaving_) return dho::CallStatus::busy;
  bool is_new = handle_.state() != dho::State::invalid && handle_.state() != dho::State::lost;
  if (is_new && !engine_.node().is_member()) engine_.fail_because_left();
  if (is_new && engine_.node().group_member().has_token(line_->name)) engine_.listen();
  return carried_out(handle_.request(wanted, orders_));
}

/// Checks the lease itself, as the peer's own thread may not have noticed yet that it is over.
dho::State DataHandle::test() {
  Guard guard = engine_.guard();
  if (is_inside() && !engine_.has_lease()) engine_.look_at_clock();
  return leaving_ ? dho::State::unlock : handle_.state();
}

dho::CallStatus DataHandle::cancel() {
  Guard guard = engine_.guard();
  return carried_out(handle_.cancel(orders_));
}

dho::CallStatus DataHandle::release() {
  Guard guard = engine_.guard();
  if (leaving_) return dho::CallStatus::busy;
  dho::CallStatus written = is_inside() ? end_section(guard) : dho::CallStatus::ok;
  if (state == Claim::State::inside) engine_.listen();
  dho::CallStatus released = carried_out(handle_.release(orders_));
  return written == dho::CallStatus::ok ? released : written;
}

dho::CallStatus DataHandle::destroy() {
  Guard guard = engine_.guard();
  if (leaving_) return dho::CallStatus::busy;
  if (is_inside()) end_section(guard);
  return carried_out(handle_.destroy(orders_));
}

/// After each call of dho::Handle: carries out its orders and notifies all waiting threads.
dho::CallStatus DataHandle::carried_out(dho::CallStatus status) {
  carry_out();
  engine_.settle();
  wake();
  return status;
}

// Orders.

void DataHandle::carry_out() {
  while (!orders_.empty()) {
    for (const dho::Order& order : std::exchange(orders_, {}))
      std::visit([&](const auto& chosen) { take_order(chosen); }, order);
  }
}

void DataHandle::take_order(const dho::Join&) {
  line_ = &engine_.node().local_lock_at(handle_.name());
  ++line_->users;
  lock = line_->name;
  window = handle_.window();
  copies = options_.copies;
  store().open(lock);
  block.reset();
  handle_.joined(orders_);
}

void DataHandle::take_order(const dho::Ask& order) {
  writes = order.mode == Mode::write;
  // A reader gets exclusive access if the algorithm does not let readers share.
  bool may_share = !writes && engine_.node().algorithm().can.shared;
  mode = may_share ? Mode::read : Mode::write;
  engine_.node().take_place(*this, *line_, net::steady_now());
}

void DataHandle::take_order(const dho::Cancel&) {
  engine_.node().drop_place(*this, net::steady_now());
  handle_.withdrawn(orders_);
}

void DataHandle::take_order(const dho::Release&) {
  store().cancel(*this);
  if (std::optional<DataRef> written = store().put_down(*this)) line_->data = *written;
  engine_.node().drop_place(*this, net::steady_now());
}

void DataHandle::take_order(const dho::Leave&) {
  leave_line();
  handle_.left(orders_);
}

void DataHandle::leave_line() {
  store().close(line_->name);
  --line_->users;
  line_ = nullptr;
}

void DataHandle::take_order(const dho::Acquired&) { end_wait(begin()); }

dho::CallStatus DataHandle::begin() {
  bool has_begun = store().begin(*this, version(), handle_.size());
  return has_begun ? dho::CallStatus::ok : dho::CallStatus::peer_lost;
}

void DataHandle::end_wait(dho::CallStatus status) {
  if (ended_) *std::exchange(ended_, nullptr) = status;
}

// The lock manager.

void DataHandle::changed() {
  switch (state) {
    case Claim::State::idle:
    case Claim::State::waiting: break;
    case Claim::State::inside:
      store().enter(*this, line_->data);
      if (line_->rolled_back) handle_.warn(dho::CallStatus::peer_lost);
      handle_.entered({Claim::fence, line_->data}, orders_);
      break;
    case Claim::State::lost:
    case Claim::State::refused: be_lost(); break;
  }
  carry_out();
  wake();
}

/// The block stays until the next entry, as the application may still use it. Cancels a transfer
/// under way, as its result is no longer needed.
void DataHandle::be_lost() {
  store().cancel(*this);
  if (leaving_) left_ = dho::CallStatus::peer_lost;
  handle_.lost(orders_);
  leave_line();
}

/// The peer that had the data is gone. A handle that already has them ignores that.
void DataHandle::moved() {
  if (line_->rolled_back && !is_inside()) handle_.warn(dho::CallStatus::peer_lost);
  handle_.moved(line_->data);
  store().move(*this, line_->data, net::steady_now());
}

void DataHandle::wake() {
  ThreadClaim::changed();
  woken.notify_all();
}

// Waiting.

dho::CallStatus DataHandle::acquire(const Deadline& deadline) {
  Guard guard = engine_.guard();
  if (leaving_) return dho::CallStatus::busy;
  bool was_inside = is_inside();
  Duration patience = std::max<Duration>(deadline.left(), Duration(1));
  dho::CallStatus status =
      deadline.is_never() ? handle_.acquire(orders_) : handle_.acquire(patience, orders_);
  if (status == dho::CallStatus::ok && !was_inside) status = begin();
  if (status != dho::CallStatus::waiting) return carry_out(), status;
  std::optional<dho::CallStatus> ended;
  ended_ = &ended;
  carry_out();
  try {
    wait(ended, deadline, guard);
  } catch (...) {  // The deadline's clock has thrown.
    ended_ = nullptr;
    is_awaited = false;
    handle_.deadline(orders_);
    carry_out();
    throw;
  }
  return *ended;
}

void DataHandle::wait(const std::optional<dho::CallStatus>& ended, const Deadline& deadline,
                      Guard& guard) {
  while (!ended) {
    Duration left = deadline.left();
    if (left == Duration::zero()) {
      handle_.deadline(orders_);
      carry_out();
    } else if (state == Claim::State::waiting) {
      engine_.wait(*this, until(left), guard);
    } else if (handle_.is_bringing() && !is_busy()) {
      bring(deadline.is_never());
    } else if (!move_data(guard)) {
      woken.wait_for(guard, left);
    }
  }
}

// The data.

/// A waiting thread fetches the data itself.
void DataHandle::take_order(const dho::Bring&) {
  progress_.reset();
  if (store().bring_at_once(*this)) return handle_.brought(dho::CallStatus::ok, orders_);
  bool nobody_waits = handle_.peer() != dho::PeerState::blocked;
  if (nobody_waits) bring(false);
}

/// A thread that waits without a deadline carries out the transfer itself; otherwise another does.
void DataHandle::bring(bool is_awaited) {
  DataSection::is_awaited = is_awaited;
  std::optional<dho::CallStatus> status = store().bring(*this, net::steady_now());
  if (!status) return;
  handle_.brought(*status, orders_);
  carry_out();
}

void DataHandle::begun() {
  if (auto progress = engine_.mover().progress(*transfer())) progress_ = progress;
  wake();
}

void DataHandle::brought(dho::CallStatus status) {
  handle_.brought(status, orders_);
  carry_out();
  wake();
}

/// Moves the data in this thread, which waits for them anyway. Returns false if there is nothing to
/// move, or another thread does it.
bool DataHandle::move_data(Guard& guard) {
  return transfer() && engine_.mover().carry_out(*transfer(), guard);
}

std::span<std::byte> DataHandle::bytes() {
  Guard guard = engine_.guard();
  std::uint64_t size = handle_.size();
  std::uint64_t count = dho::bytes_in(window, size);
  if (!is_inside() || leaving_ || !block || count == 0) return {};
  if (writes) return buffer().writable(size).subspan(window.begin, count);
  std::span<const std::byte> bytes = buffer().readable(size).subspan(window.begin, count);
  return {const_cast<std::byte*>(bytes.data()), count};  // The mapping is read-only.
}

dho::CallStatus DataHandle::resize(std::uint64_t size) {
  Guard guard = engine_.guard();
  if (leaving_) return dho::CallStatus::busy;
  std::uint64_t before = handle_.size();
  bool has_the_end = before <= window.end && size <= window.end - window.begin;
  if (is_inside() && writes && !has_the_end) return dho::CallStatus::invalid;
  dho::CallStatus status = handle_.resize(window.begin + size);
  if (status != dho::CallStatus::ok) return status;
  try {
    store().resize(*this, before, window.begin + size);
  } catch (const std::bad_alloc&) {
    handle_.resize(before);
    return dho::CallStatus::no_memory;
  }
  return dho::CallStatus::ok;
}

/// Call it before the lock is given back.
dho::CallStatus DataHandle::end_section(Guard& guard) {
  DataRef data{version(), handle_.size(), engine_.node().self().id};
  leaving_ = is_awaited = true;
  left_ = store().leave(*this, data, line_->rolled_back, net::steady_now());
  while (!left_)
    if (!move_data(guard)) woken.wait(guard);
  leaving_ = is_awaited = false;
  return *left_;
}

void DataHandle::left(dho::CallStatus status) {
  left_ = status;
  wake();
}

bool DataHandle::is_in_vain() const {
  return state != Claim::State::inside || !engine_.has_lease();
}

// Status.

std::uint64_t DataHandle::fence() {
  Guard guard = engine_.guard();
  std::optional<Fence> fence = handle_.fence();
  return fence ? fence->number() : 0;
}

DataProgress DataHandle::progress() {
  Guard guard = engine_.guard();
  if (!progress_) return {};
  return {progress_->moved, progress_->total};
}

std::shared_ptr<DataHandle> DataHandle::part(std::uint64_t offset, std::uint64_t length) {
  auto other = std::make_shared<DataHandle>(engine_, options_);
  Guard guard = engine_.guard();
  std::optional<dho::Handle> handle = handle_.duplicate(offset, length, other->orders_);
  if (handle) other->handle_ = std::move(*handle);
  other->carry_out();
  return other;
}

}  // namespace conch::peer
