#include "http/background_worker.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <utility>

namespace conch::http {

BackgroundWorker::BackgroundWorker()
    : bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), thread_([this] { run(); }) {}

BackgroundWorker::~BackgroundWorker() {
  {
    std::lock_guard guard(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

bool BackgroundWorker::ask(Asker asker, const std::string& topic,
                           std::function<std::string()> work) {
  std::lock_guard guard(mutex_);
  auto same = std::find_if(tasks_.begin(), tasks_.end(),
                           [&](const Task& task) { return !topic.empty() && task.topic == topic; });
  if (same != tasks_.end()) return same->askers.push_back(asker), true;
  if (tasks_.size() >= waiting_max) return false;
  tasks_.push_back({topic, {asker}, std::move(work)});
  changed_.notify_one();
  return true;
}

void BackgroundWorker::cancel(Asker asker) {
  std::lock_guard guard(mutex_);
  for (Task& task : tasks_) std::erase(task.askers, asker);
  std::erase_if(tasks_, [](const Task& task) { return task.askers.empty(); });
}

std::vector<BackgroundWorker::Result> BackgroundWorker::take() {
  eventfd_t rings = 0;
  ::eventfd_read(bell_.number(), &rings);
  std::lock_guard guard(mutex_);
  return std::exchange(results_, {});
}

void BackgroundWorker::run() {
  std::unique_lock guard(mutex_);
  while (true) {
    changed_.wait(guard, [&] { return ends_ || !tasks_.empty(); });
    if (ends_) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    guard.unlock();
    std::string text = task.work();
    guard.lock();
    results_.push_back({std::move(task.askers), std::move(text)});
    ::eventfd_write(bell_.number(), 1);
  }
}

}  // namespace conch::http
