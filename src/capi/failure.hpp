// How a call of the C API fails: it returns an error number, and keeps a sentence per thread for
// dho_strerror.
#pragma once

#include <dho.h>

#include <cerrno>
#include <conch/data.hpp>
#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace conch::capi {

/// Thrown inside a call; at_boundary turns it into an error number.
struct Failure {
  int error = 0;
  std::string sentence;
};

/// Keeps the sentence for dho_strerror and returns the number. If the sentence is empty,
/// dho_strerror uses the general one for that number.
int tell(int error, std::string_view sentence = {}) noexcept;
/// The sentence of this thread's last failure if it had this number, else the general one.
const char* words_for(int error) noexcept;

int error_of(Outcome outcome);
inline int answer(Outcome outcome) { return tell(error_of(outcome)); }

/// Runs the body of a public call. No exception leaves it, as the caller is C.
template <class Call>
int at_boundary(const Call& call) noexcept {
  try {
    return call();
  } catch (const Failure& failure) {
    return tell(failure.error, failure.sentence);
  } catch (const std::bad_alloc&) {
    return tell(ENOMEM);
  } catch (const std::exception& error) {
    return tell(DHO_EGROUP, error.what());
  }
}

}  // namespace conch::capi
