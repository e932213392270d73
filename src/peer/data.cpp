#include <conch/data.hpp>

#include "peer/data_handle.hpp"
#include "peer/thread_locks.hpp"

namespace conch {

namespace {

Outcome outcome_of(dho::Status status) {
  switch (status) {
    case dho::Status::ok:
    case dho::Status::waiting: return Outcome::ok;
    case dho::Status::ignored: return Outcome::ignored;
    case dho::Status::invalid: return Outcome::invalid;
    case dho::Status::busy: return Outcome::busy;
    case dho::Status::not_requested: return Outcome::not_requested;
    case dho::Status::not_held: return Outcome::not_held;
    case dho::Status::timed_out: return Outcome::timed_out;
    case dho::Status::cancelled: return Outcome::cancelled;
    case dho::Status::peer_lost: return Outcome::peer_lost;
    case dho::Status::torn: return Outcome::torn;
    case dho::Status::no_memory: return Outcome::no_memory;
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
  std::swap(handle_, other.handle_);
  return *this;
}
Data::~Data() {
  if (handle_) handle_->destroy();
}

Outcome Data::create(const std::string& name) { return outcome_of(handle_->create(name)); }
Outcome Data::request(Access access) {
  return outcome_of(handle_->request(access == Access::shared ? Mode::read : Mode::write));
}
HandleState Data::state() const { return state_of(handle_->test()); }
Outcome Data::acquire() {
  std::chrono::milliseconds timeout = handle_->options().timeout;
  if (timeout == std::chrono::milliseconds::zero())
    return outcome_of(handle_->acquire(std::nullopt));
  return outcome_of(handle_->acquire(net::steady_now() + timeout));
}
Outcome Data::acquire_until(std::chrono::steady_clock::time_point deadline) {
  return outcome_of(handle_->acquire(peer::until(deadline)));
}
Outcome Data::release() { return outcome_of(handle_->release()); }
Outcome Data::cancel() { return outcome_of(handle_->cancel()); }
Outcome Data::destroy() { return outcome_of(handle_->destroy()); }

std::span<std::byte> Data::bytes() { return handle_->bytes(); }
Outcome Data::resize(std::size_t size) { return outcome_of(handle_->resize(size)); }
std::uint64_t Data::fence() const { return handle_->fence(); }
DataProgress Data::progress() const { return handle_->progress(); }
Data Data::part(std::size_t offset, std::size_t length) const {
  return Data(handle_->part(offset, length));
}

const char* describe(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok: return "ok";
    case Outcome::ignored: return "there was nothing to do";
    case Outcome::invalid: return "no valid handle, or an argument that makes no sense";
    case Outcome::busy: return "the handle is in use";
    case Outcome::not_requested: return "the lock was not requested";
    case Outcome::not_held: return "the lock is not held to write";
    case Outcome::timed_out: return "it took too long; the request stays";
    case Outcome::cancelled: return "the request was given up";
    case Outcome::peer_lost: return "a peer was lost, and data or the lock with it";
    case Outcome::torn: return "the last holder died while it wrote";
    case Outcome::no_memory: return "there is no memory for the data";
  }
  return "?";
}

}  // namespace conch
