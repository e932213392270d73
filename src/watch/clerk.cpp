#include "watch/clerk.hpp"

#include <sys/eventfd.h>

#include <utility>

namespace conch::watch {

Clerk::Clerk() : bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), thread_([this] { run(); }) {}

Clerk::~Clerk() {
  {
    std::lock_guard guard(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Clerk::ask(std::uint64_t number, std::function<std::string()> work) {
  std::lock_guard guard(mutex_);
  tasks_.push_back({number, std::move(work)});
  changed_.notify_one();
}

std::vector<Clerk::Result> Clerk::take() {
  eventfd_t rings = 0;
  ::eventfd_read(bell_.number(), &rings);
  std::lock_guard guard(mutex_);
  return std::exchange(results_, {});
}

void Clerk::run() {
  std::unique_lock guard(mutex_);
  while (true) {
    changed_.wait(guard, [&] { return ends_ || !tasks_.empty(); });
    if (ends_) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    guard.unlock();
    std::string text = task.work();
    guard.lock();
    results_.push_back({task.number, std::move(text)});
    ::eventfd_write(bell_.number(), 1);
  }
}

}  // namespace conch::watch
