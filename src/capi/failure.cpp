#include "capi/failure.hpp"

#include <array>
#include <cstring>

namespace conch::capi {

namespace {

/// Trivially destructible, so that a program may still call dho_strerror while it exits.
struct LastFailure {
  int error = 0;
  std::array<char, 1024> sentence{};
};
thread_local LastFailure last_failure;

/// A sentence that fits the number wherever it comes from; nullptr if only the system knows it.
const char* usual_words(int error) {
  switch (error) {
    case 0: return "no error";
    case EINVAL: return "invalid handle or argument";
    case EAGAIN: return "another holder has the lock";
    case EBUSY: return "the handle is in use: a thread waits in acquire, or the lock is held";
    case EPERM: return "only the holder of the lock for writing may do this";
    case ETIMEDOUT: return "timed out; a request keeps its place in the queue";
    case ECANCELED: return "another thread cancelled what this call waited for";
    case ENOMEM: return "out of memory";
    case DHO_ENOTREQ: return "the lock was not requested: call dho_ew_request or dho_ir_request";
    case DHO_EPEERLOST:
      return "this process was removed from the group, or released data were lost with another: "
             "acquire again to go on with the data that remain";
    case DHO_ETORN:
      return "the last holder died while writing: acquire again to get the bytes as they are";
    case DHO_EGROUP: return "the group cannot be joined";
    default: return nullptr;
  }
}

const char* words_of_the_system(int error) {
  thread_local std::array<char, 128> buffer;
  return ::strerror_r(error, buffer.data(), buffer.size());
}

}  // namespace

int tell(int error, std::string_view sentence) noexcept {
  if (error == 0) return 0;
  last_failure.error = error;
  std::size_t size = sentence.copy(last_failure.sentence.data(), last_failure.sentence.size() - 1);
  last_failure.sentence[size] = 0;
  return error;
}

const char* words_for(int error) noexcept {
  if (error == last_failure.error && last_failure.sentence[0] != 0)
    return last_failure.sentence.data();
  const char* usual = usual_words(error);
  return usual != nullptr ? usual : words_of_the_system(error);
}

int error_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
    case Outcome::ignored: return 0;
    case Outcome::invalid: return EINVAL;
    case Outcome::busy: return EBUSY;
    case Outcome::not_requested: return DHO_ENOTREQ;
    case Outcome::not_held: return EPERM;
    case Outcome::timed_out: return ETIMEDOUT;
    case Outcome::cancelled: return ECANCELED;
    case Outcome::peer_lost: return DHO_EPEERLOST;
    case Outcome::torn: return DHO_ETORN;
    case Outcome::no_memory: return ENOMEM;
    case Outcome::not_free: return EAGAIN;
  }
  return EINVAL;
}

}  // namespace conch::capi
