#include "peer/data_handle.hpp"

#include <algorithm>

#include "node/names.hpp"

namespace conch::peer {

namespace {

/// Identifies a handle to nobody but itself: it is no peer's, so data are never there.
constexpr NodeId here{~std::uint64_t{0}};

}  // namespace

DataHandle::DataHandle(Engine& engine, const DataOptions& options)
    : ThreadClaim(Mode::write),
      kept_(engine.shared_from_this()),
      engine_(engine),
      options_(options),
      handle_(here, Members{here}, {options.prefetch}) {
  if (std::string why = engine.why_no_data(); !why.empty())
    throw Error(ErrorCode::unsupported, why);
}

DataHandle::~DataHandle() {
  if (line_) destroy();
}

// Calls.

dho::Status DataHandle::create(const std::string& name) {
  node::check_lock_name(name);
  Guard guard = engine_.guard();
  if (leaving_) return dho::Status::busy;
  return carried_out(handle_.create(name, orders_));
}

dho::Status DataHandle::request(Mode wanted) {
  Guard guard = engine_.guard();
  if (leaving_) return dho::Status::busy;
  bool is_new = handle_.state() != dho::State::invalid && handle_.state() != dho::State::lost;
  if (is_new && !engine_.node().is_member()) engine_.fail_because_left();
  if (is_new && engine_.node().steward().has_token(line_->name)) engine_.listen();
  return carried_out(handle_.request({wanted, {}}, orders_));
}

/// A lease that is over is over before the peer's own thread has noticed.
dho::State DataHandle::test() {
  Guard guard = engine_.guard();
  if (is_inside() && !engine_.has_lease()) engine_.look_at_clock();
  return leaving_ ? dho::State::unlock : handle_.state();
}

dho::Status DataHandle::cancel() {
  Guard guard = engine_.guard();
  return carried_out(handle_.cancel(orders_));
}

dho::Status DataHandle::release() {
  Guard guard = engine_.guard();
  if (leaving_) return dho::Status::busy;
  dho::Status written = is_inside() ? end_section(guard) : dho::Status::ok;
  if (state == Claim::State::inside) engine_.listen();
  dho::Status released = carried_out(handle_.release(orders_));
  return written == dho::Status::ok ? released : written;
}

dho::Status DataHandle::destroy() {
  Guard guard = engine_.guard();
  if (leaving_) return dho::Status::busy;
  if (is_inside()) end_section(guard);
  return carried_out(handle_.destroy(orders_));
}

/// After a call of the handle's: what it wants done is done, and everybody knows.
dho::Status DataHandle::carried_out(dho::Status status) {
  carry_out();
  if (handle_.state() != dho::State::fetch) drop_errand();
  engine_.settle();
  wake();
  return status;
}

// Orders.

void DataHandle::carry_out() {
  while (!orders_.empty()) {
    dho::Orders orders = std::exchange(orders_, {});
    for (const dho::Orders::Send& send : orders.sends())
      if (const auto* fetch = std::get_if<dho::Fetch>(&send.message)) begin_errand(*fetch);
    for (const dho::Order& order : orders.orders())
      std::visit([&](const auto& chosen) { take_order(chosen); }, order);
  }
}

void DataHandle::take_order(const dho::Join&) {
  line_ = &engine_.node().desk_at(handle_.name());
  ++line_->users;
  engine_.data().open(line_->name);
  buffer_.reset();
  handle_.joined(orders_);
}

void DataHandle::take_order(const dho::Ask& order) {
  writes_ = order.wish.mode == Mode::write;
  bool may_share = !writes_ && engine_.node().algorithm().can.shared;
  mode = may_share ? Mode::read : Mode::write;
  engine_.node().take_place(*this, *line_, net::steady_now());
}

void DataHandle::take_order(const dho::Cancel&) {
  engine_.node().drop_place(*this, net::steady_now());
  handle_.withdrawn(orders_);
}

void DataHandle::take_order(const dho::Release&) {
  if (written_) {
    tell_outdated();
    line_->data = *std::exchange(written_, std::nullopt);
  }
  put_down();
  engine_.node().drop_place(*this, net::steady_now());
  // From here on they are the peer's to keep.
  handle_.receive(here, dho::Got{{}, ~std::uint64_t{0}}, orders_);
}

/// Who gave the data to us, if it does not see what we wrote, need not keep them.
void DataHandle::tell_outdated() {
  if (!errand_ || !errand_->streamed || written_->location != engine_.node().self().id) return;
  engine_.data().tell_outdated(*errand_);
  errand_->streamed = false;
}

void DataHandle::take_order(const dho::Leave&) {
  leave_line();
  handle_.left(orders_);
}

void DataHandle::leave_line() {
  engine_.data().close(line_->name);
  --line_->users;
  line_ = nullptr;
}

void DataHandle::take_order(const dho::Acquired&) {
  begin_section();
  end_wait(dho::Status::ok);
}

void DataHandle::end_wait(dho::Status status) {
  if (ended_) *std::exchange(ended_, nullptr) = status;
}

// The lock manager.

void DataHandle::changed() {
  switch (state) {
    case Claim::State::idle:
    case Claim::State::waiting: break;
    case Claim::State::inside:
      buffer_.reset();
      own_ = false;
      if (line_->rolled_back) handle_.warn(dho::Status::peer_lost);
      handle_.entered({{Claim::fence, line_->data}, {}}, orders_);
      break;
    case Claim::State::lost:
    case Claim::State::refused: be_lost(); break;
  }
  carry_out();
  wake();
}

/// What it worked on stays until its next entry: the application may not know yet. What was on its
/// way may come at any time, and is nobody's.
void DataHandle::be_lost() {
  if (errand_) errand_->cancel();
  errand_.reset();
  written_.reset();
  handle_.lost(orders_);
  leave_line();
}

/// Whoever had the data is gone; who has them already does not mind.
void DataHandle::moved() {
  if (line_->rolled_back && !is_inside()) handle_.warn(dho::Status::peer_lost);
  if (errand_) errand_->move_to(line_->data);
}

void DataHandle::wake() {
  ThreadClaim::changed();
  woken.notify_all();
}

// Waiting.

dho::Status DataHandle::acquire(const Deadline& deadline) {
  Guard guard = engine_.guard();
  if (leaving_) return dho::Status::busy;
  bool was_inside = is_inside();
  Duration patience = std::max<Duration>(deadline.left(), Duration(1));
  dho::Status status =
      deadline.is_never() ? handle_.acquire(orders_) : handle_.acquire(patience, orders_);
  if (status == dho::Status::ok && !was_inside) begin_section();
  if (status != dho::Status::waiting) return carry_out(), status;
  std::optional<dho::Status> ended;
  ended_ = &ended;
  carry_out();
  try {
    wait(ended, deadline, guard);
  } catch (...) {  // The clock.
    ended_ = nullptr;
    handle_.deadline(orders_);
    carry_out();
    throw;
  }
  return *ended;
}

void DataHandle::wait(const std::optional<dho::Status>& ended, const Deadline& deadline,
                      Guard& guard) {
  while (!ended) {
    Duration left = deadline.left();
    if (left == Duration::zero()) {
      handle_.deadline(orders_);
      carry_out();
    } else if (state == Claim::State::waiting) {
      engine_.wait(*this, until(left), guard);
    } else if (errand_ && !errand_->taken && deadline.is_never()) {
      run_errand(std::shared_ptr(errand_), guard);
    } else {
      run_in_background();
      woken.wait_for(guard, left);
    }
  }
}

// To look at.

std::uint64_t DataHandle::fence() {
  Guard guard = engine_.guard();
  std::optional<Fence> fence = handle_.fence();
  return fence ? fence->number() : 0;
}

DataProgress DataHandle::progress() {
  Guard guard = engine_.guard();
  if (!errand_) return {};
  return {errand_->moved, errand_->total};
}

std::shared_ptr<DataHandle> DataHandle::part(std::uint64_t offset, std::uint64_t length) {
  auto other = std::make_shared<DataHandle>(engine_, options_);
  Guard guard = engine_.guard();
  std::optional<dho::Handle> handle = handle_.duplicate(here, offset, length, other->orders_);
  if (handle) other->handle_ = std::move(*handle);
  other->carry_out();
  return other;
}

}  // namespace conch::peer
