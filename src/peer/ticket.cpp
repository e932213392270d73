#include <fmt/core.h>

#include <conch/ticket.hpp>

#include "peer/engine.hpp"
#include "peer/thread_claim.hpp"

namespace conch {

using node::Claim;
using peer::Guard;

struct Ticket::State final : peer::ThreadClaim {
  State(peer::Engine& engine, const std::string& lock, Mode mode)
      : ThreadClaim(mode),
        kept(engine.shared_from_this()),
        engine(engine),
        local_lock(engine.open_local_lock(lock)) {}
  ~State() override {
    {
      Guard guard = engine.guard();
      engine.give_up(*this, guard);
    }
    engine.close_local_lock(local_lock);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void changed() override {
    ThreadClaim::changed();
    if (state == Claim::State::lost && lost_callback) engine.call_later(lost_callback);
    if (state == Claim::State::inside && ready_callback) engine.call_later(ready_callback);
  }
  void expect_place() const {
    if (state == Claim::State::idle)
      throw Error(
          ErrorCode::misuse,
          fmt::format("this ticket has not requested '{}': call request first", local_lock.name));
  }
  bool wait(const Deadline& deadline) {
    Guard guard = engine.guard();
    expect_place();
    engine.wait(*this, deadline, guard);
    if (state == Claim::State::refused) engine.fail_because_left();
    return state != Claim::State::waiting;
  }
  void end() {
    Guard guard = engine.guard();
    engine.give_up(*this, guard);
  }

  /// Keeps the engine alive, as the ticket may outlive the peer.
  std::shared_ptr<peer::Engine> kept;
  peer::Engine& engine;
  node::LocalLock& local_lock;
  std::function<void()> ready_callback;
  std::function<void()> lost_callback;
};

Ticket::Ticket(Peer& peer, const std::string& lock, Access access) {
  bool shared = access == Access::shared;
  if (shared) peer.engine().expect_sharing();
  state_ = std::make_unique<State>(peer.engine(), lock, shared ? Mode::read : Mode::write);
}
Ticket::~Ticket() {
  if (state_ && state_->engine.is_inherited()) peer::abandon(std::move(state_));
}
Ticket::Ticket(Ticket&&) noexcept = default;
Ticket& Ticket::operator=(Ticket&& other) noexcept {
  if (this == &other) return *this;
  Ticket former(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

Ticket::State& Ticket::state() const {
  if (!state_)
    throw Error(ErrorCode::misuse, "this ticket was moved from: use the one it was moved to");
  return *state_;
}

void Ticket::request() {
  Guard guard = state().engine.guard();
  if (state_->has_place())
    throw Error(ErrorCode::misuse,
                fmt::format("this ticket has already requested '{}'", state_->local_lock.name));
  state_->engine.request(*state_, state_->local_lock, guard);
}

bool Ticket::ready() const {
  Guard guard = state().engine.guard();
  return state_->state == Claim::State::inside;
}

void Ticket::acquire() { state().wait(Deadline()); }
bool Ticket::acquire_by(const Deadline& deadline) { return state().wait(deadline); }

void Ticket::cancel() { state().end(); }
void Ticket::release() { state().end(); }

bool Ticket::holds() const {
  Guard guard = state().engine.guard();
  return state_->state == Claim::State::inside && state_->engine.has_lease();
}

bool Ticket::lost() const {
  Guard guard = state().engine.guard();
  return state_->state == Claim::State::lost;
}

std::uint64_t Ticket::fence() const {
  Guard guard = state().engine.guard();
  if (state_->state != Claim::State::inside && state_->state != Claim::State::lost)
    throw Error(ErrorCode::misuse,
                fmt::format("this ticket does not hold '{}'", state_->local_lock.name));
  return state_->Claim::fence.number();
}

Receipt Ticket::receipt() const {
  Guard guard = state().engine.guard();
  return state_->Claim::receipt;
}

void Ticket::on_ready(std::function<void()> callback) {
  Guard guard = state().engine.guard();
  state_->ready_callback = std::move(callback);
}

void Ticket::on_lost(std::function<void()> callback) {
  Guard guard = state().engine.guard();
  state_->lost_callback = std::move(callback);
}

}  // namespace conch
