// The states of a handle, those of its peer, and the results of calls.
#pragma once

#include <cstdint>
#include <string_view>

namespace conch::dho {

/// The states of a handle [Hernane 2015, fig. 6], and `lost`: the paper does not treat crashes.
enum class State : std::uint8_t {
  invalid,  // not a member: outside, joining or leaving
  valid,    // a member that wants nothing
  req,      // the lock was requested
  grant,    // the lock is here; the application has not acquired it
  blocked,  // the application waits for the lock
  fetch,    // the lock is here, the data are on their way
  locked,   // the application has lock and data
  unlock,   // as valid, but only this peer has the newest data, or a part of them
  lost,     // expelled from the group: whatever was held is lost
};

constexpr std::string_view word(State state) {
  switch (state) {
    case State::invalid: return "invalid";
    case State::valid: return "valid";
    case State::req: return "req";
    case State::grant: return "grant";
    case State::blocked: return "blocked";
    case State::fetch: return "fetch";
    case State::locked: return "locked";
    case State::unlock: return "unlock";
    case State::lost: return "lost";
  }
  return "?";
}

/// The states of the application's process (table 1).
enum class PeerState : std::uint8_t { idle, req, blocked, locked, exit };

constexpr std::string_view word(PeerState peer) {
  switch (peer) {
    case PeerState::idle: return "Idle";
    case PeerState::req: return "Req";
    case PeerState::blocked: return "Blocked";
    case PeerState::locked: return "Locked";
    case PeerState::exit: return "Exit";
  }
  return "?";
}

/// The result of a call. In C the first three are 0, and the others an error number.
enum class CallStatus : std::uint8_t {
  ok,
  waiting,        // begun; an order to the application will end it
  ignored,        // there was nothing to do; nothing has changed
  invalid,        // EINVAL: no valid handle, or a malformed argument
  busy,           // EBUSY: a call waits, or the lock is held
  not_requested,  // ENOTREQ: acquire without a request
  not_held,       // EPERM: only the holder of the write lock may do this
  timed_out,      // ETIMEDOUT: acquire took too long; the request stays
  cancelled,      // ECANCELED: another call gave up what this one waited for
  peer_lost,      // EPEERLOST: we were expelled from the group, or the peer with the data was
  torn,       // ETORN: the last holder died while it wrote; the next acquire has the bytes as is
  no_memory,  // ENOMEM: the data do not fit; the lock stays in grant
};

constexpr std::string_view word(CallStatus status) {
  switch (status) {
    case CallStatus::ok: return "ok";
    case CallStatus::waiting: return "waiting";
    case CallStatus::ignored: return "ignored";
    case CallStatus::invalid: return "invalid";
    case CallStatus::busy: return "busy";
    case CallStatus::not_requested: return "not requested";
    case CallStatus::not_held: return "not held";
    case CallStatus::timed_out: return "timed out";
    case CallStatus::cancelled: return "cancelled";
    case CallStatus::peer_lost: return "peer lost";
    case CallStatus::torn: return "torn";
    case CallStatus::no_memory: return "no memory";
  }
  return "?";
}

}  // namespace conch::dho
