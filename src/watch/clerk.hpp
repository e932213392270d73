// Works on what takes its time, one after the other, in a thread of its own.
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

namespace conch::watch {

class Clerk {
 public:
  struct Result {
    std::uint64_t number = 0;
    std::string text;
  };

  Clerk();
  /// Finishes what it is at; the rest is left.
  ~Clerk();
  Clerk(const Clerk&) = delete;
  Clerk& operator=(const Clerk&) = delete;

  void ask(std::uint64_t number, std::function<std::string()> work);
  /// What is done since the last time.
  std::vector<Result> take();
  /// Readable when something is done.
  int bell() const { return bell_.number(); }

 private:
  struct Task {
    std::uint64_t number;
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

}  // namespace conch::watch
