// What the library throws. Every message says what was wrong and what to do.
#pragma once

#include <conch/export.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace conch {

/// What kind of trouble it is, for a program that has to decide what to do about it.
enum class ErrorCode : std::uint8_t {
  unavailable,    // the register or the other peers cannot be reached or used, or not in time
  bad_argument,   // a name, an address or an option that makes no sense
  misconfigured,  // options, files or directories do not fit each other, this machine or the group
  unsupported,    // the group's algorithm cannot do this
  misuse,         // a call out of turn, as to unlock what this thread has not locked
  deadlock,       // this thread has locked it already
  left,           // the peer has left its group, or was destroyed
  forked,         // the object belongs to the process that this one was forked from
  exhausted,      // the system has no more descriptors, threads or random numbers
};

/// Whatever the library throws is one of these, but for std::bad_alloc, and what a clock of the
/// caller's throws.
class CONCH_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  explicit Error(const std::string& what) : Error(ErrorCode::unavailable, what) {}

  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace conch
