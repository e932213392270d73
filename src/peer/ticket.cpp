#include <fmt/core.h>

#include <conch/ticket.hpp>

#include "peer/thread_locks.hpp"

namespace conch {

using peer::Claim;
using peer::Guard;

struct Ticket::State final : peer::ThreadClaim {
  State(peer::Engine& engine, const std::string& lock, Mode mode)
      : ThreadClaim(mode), engine(engine), desk(engine.open_desk(lock)) {}
  ~State() override {
    {
      Guard guard = engine.guard();
      engine.give_up(*this, guard);
    }
    engine.close_desk(desk);
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
      throw Error(fmt::format("this ticket has no place at '{}': call request first", desk.name));
  }
  bool wait(std::optional<Time> until) {
    Guard guard = engine.guard();
    expect_place();
    engine.wait(*this, until, guard);
    if (state == Claim::State::refused)
      throw Error(fmt::format("this peer has left the group '{}'", engine.group()));
    return state != Claim::State::waiting;
  }
  void end() {
    Guard guard = engine.guard();
    engine.give_up(*this, guard);
  }

  peer::Engine& engine;
  peer::LockDesk& desk;
  std::function<void()> ready_callback;
  std::function<void()> lost_callback;
};

Ticket::Ticket(Peer& peer, const std::string& lock, Access access) {
  bool shared = access == Access::shared;
  if (shared && !peer.engine().algorithm().can.shared) throw Error(peer.engine().why_not_shared());
  state_ = std::make_unique<State>(peer.engine(), lock, shared ? Mode::read : Mode::write);
}
Ticket::~Ticket() = default;
Ticket::Ticket(Ticket&&) noexcept = default;
Ticket& Ticket::operator=(Ticket&&) noexcept = default;

void Ticket::request() {
  Guard guard = state_->engine.guard();
  if (state_->has_place())
    throw Error(fmt::format("this ticket has a place at '{}' already", state_->desk.name));
  state_->engine.request(*state_, state_->desk, guard);
}

bool Ticket::ready() const {
  Guard guard = state_->engine.guard();
  return state_->state == Claim::State::inside;
}

void Ticket::acquire() { state_->wait(std::nullopt); }

bool Ticket::acquire_until(std::chrono::steady_clock::time_point deadline) {
  return state_->wait(peer::until(deadline));
}

void Ticket::cancel() { state_->end(); }
void Ticket::release() { state_->end(); }

bool Ticket::holds() const {
  Guard guard = state_->engine.guard();
  return state_->state == Claim::State::inside && state_->engine.has_lease();
}

bool Ticket::lost() const {
  Guard guard = state_->engine.guard();
  return state_->state == Claim::State::lost;
}

std::uint64_t Ticket::fence() const {
  Guard guard = state_->engine.guard();
  if (state_->state != Claim::State::inside && state_->state != Claim::State::lost)
    throw Error(fmt::format("this ticket is not inside '{}'", state_->desk.name));
  return state_->Claim::fence.number();
}

Receipt Ticket::receipt() const {
  Guard guard = state_->engine.guard();
  return state_->Claim::receipt;
}

void Ticket::on_ready(std::function<void()> callback) {
  Guard guard = state_->engine.guard();
  state_->ready_callback = std::move(callback);
}

void Ticket::on_lost(std::function<void()> callback) {
  Guard guard = state_->engine.guard();
  state_->lost_callback = std::move(callback);
}

}  // namespace conch
