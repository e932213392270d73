// Works on what takes its time, one after the other, in a thread of its own. What several want that
// nobody has begun is done once, for all of them; what nobody wants any more is not done.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "net/descriptor.hpp"

namespace conch::http {

class Clerk {
 public:
  using Asker = std::uint64_t;
  struct Result {
    std::vector<Asker> askers;
    std::string text;
  };
  /// So many different things wait to be begun, and no more.
  static constexpr std::size_t waiting_max = 16;

  Clerk();
  /// Finishes what it is at; the rest is left.
  ~Clerk();
  Clerk(const Clerk&) = delete;
  Clerk& operator=(const Clerk&) = delete;

  /// What has the same topic has the same result; an empty topic is like no other. False if too
  /// much waits.
  bool ask(Asker asker, const std::string& topic, std::function<std::string()> work);
  void cancel(Asker asker);
  /// What is done since the last time.
  std::vector<Result> take();
  /// Readable when something is done.
  int bell() const { return bell_.number(); }

 private:
  struct Task {
    std::string topic;
    std::vector<Asker> askers;
    std::function<std::string()> work;
  };
  void run();

  net::Descriptor bell_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::vector<Result> results_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace conch::http
