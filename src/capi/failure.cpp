#include "capi/failure.hpp"

#include <array>
#include <cstring>

namespace conch::capi {

namespace {

/// Nothing that has to be destroyed: a program may ask at its exit, too.
struct LastFailure {
  int error = 0;
  std::array<char, 1024> sentence{};
};
thread_local LastFailure last_failure;

/// What is true of the number wherever it comes from; none if only the system knows it.
const char* usual_words(int error) {
  switch (error) {
    case 0: return "no error";
    case EINVAL: return "no valid handle, or an argument that makes no sense";
    case EAGAIN: return "somebody else has the lock";
    case EBUSY: return "the handle is in use: a thread waits in acquire, or the lock is held";
    case EPERM: return "only who holds the lock to write may do this";
    case ETIMEDOUT: return "it took too long; a request stays where it is";
    case ECANCELED: return "another thread gave up what this call waited for";
    case ENOMEM: return "the system has no memory for this";
    case DHO_ENOTREQ: return "the lock was not asked for: call dho_ew_request or dho_ir_request";
    case DHO_EPEERLOST:
      return "this process was put out of the group, or released data were lost with another: "
             "acquire again to go on with what there is";
    case DHO_ETORN:
      return "the last holder died while it wrote: acquire again to have the bytes as they are";
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
