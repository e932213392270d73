// The exception of the library. Every message says what was wrong and what to do.
#pragma once

#include <conch/export.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace conch {

/// The kind of failure, for a program that has to decide what to do about it.
enum class ErrorCode : std::uint8_t {
  unavailable,    // the register or the other peers cannot be reached or used, or not in time
  bad_argument,   // a bad name, address or option
  misconfigured,  // options, files or directories do not fit each other, this machine or the group
  unsupported,    // the group's algorithm cannot do this
  misuse,         // a call out of turn, e.g. unlocking what this thread has not locked
  deadlock,       // this thread has already locked it
  left,           // the peer has left its group, or was destroyed
  forked,         // the object belongs to the parent of this forked process
  exhausted,      // the system is out of descriptors, threads or random numbers
};

/// The library throws nothing but this, std::bad_alloc, and whatever a caller's own clock throws.
class CONCH_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  explicit Error(const std::string& what) : Error(ErrorCode::unavailable, what) {}

  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace conch
