// A worker thread for slow requests, which it runs one after another. Waiting requests for the same
// thing run once for all their askers; a request whose askers have all gone is dropped.
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

class BackgroundWorker {
 public:
  using Asker = std::uint64_t;
  struct Result {
    std::vector<Asker> askers;
    std::string text;
  };
  /// At most this many different requests wait to be begun.
  static constexpr std::size_t waiting_max = 16;

  BackgroundWorker();
  /// Finishes the current request and drops the rest.
  ~BackgroundWorker();
  BackgroundWorker(const BackgroundWorker&) = delete;
  BackgroundWorker& operator=(const BackgroundWorker&) = delete;

  /// Requests with the same topic have the same result; an empty topic matches no other. False if
  /// too many are waiting.
  bool ask(Asker asker, const std::string& topic, std::function<std::string()> work);
  void cancel(Asker asker);
  /// The results since the last call.
  std::vector<Result> take();
  /// Becomes readable when a result is there.
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
