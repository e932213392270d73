// How a call of the C face fails: with an error number, and with a sentence that is kept for the
// thread that called.
#pragma once

#include <dho.h>

#include <cerrno>
#include <conch/data.hpp>
#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace conch::capi {

/// Thrown where a call finds out, caught where it ends.
struct Failure {
  int error = 0;
  std::string sentence;
};

/// Keeps the sentence for dho_strerror and returns the number. Empty: the one that always fits.
int tell(int error, std::string_view sentence = {}) noexcept;
/// The words for a number: those of this thread's last failure, if it was that one.
const char* words_for(int error) noexcept;

int error_of(Outcome outcome);
inline int answer(Outcome outcome) { return tell(error_of(outcome)); }

/// Runs what a call does. Nothing is thrown into C.
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
