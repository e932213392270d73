#include <conch/data.hpp>

#include "peer/data_handle.hpp"

namespace conch {

namespace {

Outcome outcome_of(dho::CallStatus status) {
  switch (status) {
    case dho::CallStatus::ok:
    case dho::CallStatus::waiting: return Outcome::ok;
    case dho::CallStatus::ignored: return Outcome::ignored;
    case dho::CallStatus::invalid: return Outcome::invalid;
    case dho::CallStatus::busy: return Outcome::busy;
    case dho::CallStatus::not_requested: return Outcome::not_requested;
    case dho::CallStatus::not_held: return Outcome::not_held;
    case dho::CallStatus::timed_out: return Outcome::timed_out;
    case dho::CallStatus::cancelled: return Outcome::cancelled;
    case dho::CallStatus::peer_lost: return Outcome::peer_lost;
    case dho::CallStatus::torn: return Outcome::torn;
    case dho::CallStatus::no_memory: return Outcome::no_memory;
  }
  return Outcome::invalid;
}

HandleState state_of(dho::State state) {
  switch (state) {
    case dho::State::invalid: return HandleState::invalid;
    case dho::State::valid: return HandleState::valid;
    case dho::State::req: return HandleState::req;
    case dho::State::grant: return HandleState::grant;
    case dho::State::blocked: return HandleState::blocked;
    case dho::State::fetch: return HandleState::fetch;
    case dho::State::locked: return HandleState::locked;
    case dho::State::unlock: return HandleState::unlock;
    case dho::State::lost: return HandleState::lost;
  }
  return HandleState::invalid;
}

}  // namespace

Data::Data(std::shared_ptr<peer::DataHandle> handle) : handle_(std::move(handle)) {}
Data::Data(Peer& peer, const DataOptions& options)
    : Data(std::make_shared<peer::DataHandle>(peer.engine(), options)) {}
Data::Data(Peer& peer, const std::string& name, const DataOptions& options) : Data(peer, options) {
  create(name);
}
Data::Data(Data&&) noexcept = default;
Data& Data::operator=(Data&& other) noexcept {
  if (this == &other) return *this;
  Data former(std::move(*this));
  handle_ = std::move(other.handle_);
  return *this;
}
Data::~Data() {
  if (!handle_) return;
  if (handle_->is_inherited()) {
    peer::abandon(std::move(handle_));
  } else {
    handle_->destroy();
  }
}

peer::DataHandle& Data::handle() const {
  if (!handle_)
    throw Error(ErrorCode::misuse, "this handle was moved from: use the one it was moved to");
  return *handle_;
}

Outcome Data::create(const std::string& name) { return outcome_of(handle().create(name)); }
Outcome Data::request(Access access) {
  return outcome_of(handle().request(access == Access::shared ? Mode::read : Mode::write));
}
HandleState Data::state() const { return state_of(handle().test()); }
Outcome Data::acquire() {
  std::chrono::milliseconds timeout = handle().options().timeout;
  bool for_ever = timeout == std::chrono::milliseconds::zero();
  return acquire_by(for_ever ? Deadline() : Deadline::after(timeout));
}
Outcome Data::acquire_by(const Deadline& deadline) {
  return outcome_of(handle().acquire(deadline));
}
Outcome Data::try_acquire(Access access) {
  HandleState before = state();
  bool asks = before == HandleState::valid || before == HandleState::unlock;
  if (Outcome asked = asks ? request(access) : Outcome::ok; asked != Outcome::ok) return asked;
  Outcome outcome = acquire_by(Deadline::after(handle().try_patience()));
  if (outcome != Outcome::timed_out) return outcome;
  bool is_here = state() == HandleState::grant || state() == HandleState::fetch;
  if (is_here) return acquire_by(Deadline());
  if (asks) cancel();
  return Outcome::not_free;
}
Outcome Data::release() { return outcome_of(handle().release()); }
Outcome Data::cancel() { return outcome_of(handle().cancel()); }
Outcome Data::destroy() { return outcome_of(handle().destroy()); }

Span<std::byte> Data::bytes() { return handle().bytes(); }
Outcome Data::resize(std::size_t size) { return outcome_of(handle().resize(size)); }
std::uint64_t Data::fence() const { return handle().fence(); }
DataProgress Data::progress() const { return handle().progress(); }
Data Data::part(std::size_t offset, std::size_t length) const {
  return Data(handle().part(offset, length));
}

const char* describe(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok: return "ok";
    case Outcome::ignored: return "nothing to do";
    case Outcome::invalid: return "invalid handle or argument";
    case Outcome::busy: return "the handle is in use";
    case Outcome::not_requested: return "the lock was not requested";
    case Outcome::not_held: return "the lock is not held to write";
    case Outcome::timed_out: return "timed out; the request stays in the queue";
    case Outcome::cancelled: return "the request was cancelled";
    case Outcome::peer_lost: return "a peer was lost, and data or the lock with it";
    case Outcome::torn: return "the last holder died while writing";
    case Outcome::no_memory: return "out of memory for the data";
    case Outcome::not_free: return "another holder has the lock";
  }
  return "?";
}

}  // namespace conch
