// The states of a handle, those of its peer, and what a call answers.
#pragma once

#include <cstdint>
#include <string_view>

namespace conch::dho {

/// Of the handle (fig. 6), and `lost`, which the page leaves out: crashes are not its subject.
enum class State : std::uint8_t {
  invalid,  // not of the group, on the way in, or on the way out
  valid,    // of the group, wanting nothing
  req,      // the lock was asked for
  grant,    // the lock is here; the application has not come for it
  blocked,  // the application waits for the lock
  fetch,    // the lock is here, the data are on their way
  locked,   // the application has lock and data
  unlock,   // as valid, but the newest data, or a part of them, are nowhere but here
  lost,     // thrown out of the group: what was held is not held any more
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

/// Of the application's process, as table 1 has it.
enum class Peer : std::uint8_t { idle, req, blocked, locked, exit };

constexpr std::string_view word(Peer peer) {
  switch (peer) {
    case Peer::idle: return "Idle";
    case Peer::req: return "Req";
    case Peer::blocked: return "Blocked";
    case Peer::locked: return "Locked";
    case Peer::exit: return "Exit";
  }
  return "?";
}

/// What a call answers. In C the first three are 0 and the others an errno.
enum class Status : std::uint8_t {
  ok,
  waiting,        // begun; an order to the application will end it
  ignored,        // there was nothing to do; nothing has changed
  invalid,        // EINVAL: no valid handle, or an argument that makes no sense
  busy,           // EBUSY: the handle is in use, by a call that waits or by a lock that is held
  not_requested,  // ENOTREQ: acquire without a request
  not_held,       // EPERM: only who holds the lock to write may do this
  timed_out,      // ETIMEDOUT: acquire took too long; the request stays
  cancelled,      // ECANCELED: the call waited, and another one gave up what it waited for
  peer_lost,      // EPEERLOST: we were thrown out of the group, or the one who kept the data was
  torn,       // ETORN: the last holder died while it wrote; the next acquire has the bytes as is
  no_memory,  // ENOMEM: the data do not fit; the lock stays in grant
};

constexpr std::string_view word(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::waiting: return "waiting";
    case Status::ignored: return "ignored";
    case Status::invalid: return "invalid";
    case Status::busy: return "busy";
    case Status::not_requested: return "not requested";
    case Status::not_held: return "not held";
    case Status::timed_out: return "timed out";
    case Status::cancelled: return "cancelled";
    case Status::peer_lost: return "peer lost";
    case Status::torn: return "torn";
    case Status::no_memory: return "no memory";
  }
  return "?";
}

}  // namespace conch::dho
