#include "python/notices.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <conch/error.hpp>
#include <utility>

namespace conch::python {

Notices::Notices() : bell_(::eventfd(0, EFD_CLOEXEC)) {
  if (bell_ < 0)
    throw Error(ErrorCode::exhausted,
                "this process has no file descriptor left; raise `ulimit -n`");
}

Notices::~Notices() { ::close(bell_); }

void Notices::ring() const { ::eventfd_write(bell_, 1); }

void Notices::add(Notice notice) {
  std::lock_guard guard(mutex_);
  if (closed_) return;
  notices_.push_back(std::move(notice));
  if (notices_.size() == 1) ring();
}

void Notices::close() {
  std::lock_guard guard(mutex_);
  closed_ = true;
  ring();
}

std::optional<std::vector<Notices::Notice>> Notices::take() {
  for (;;) {
    {
      std::lock_guard guard(mutex_);
      if (!notices_.empty()) return std::exchange(notices_, {});
      if (closed_) return std::nullopt;
    }
    eventfd_t rings = 0;
    if (::eventfd_read(bell_, &rings) != 0 && errno != EINTR) return std::nullopt;
  }
}

}  // namespace conch::python
