// The timers of the locks' algorithms, ordered by deadline.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/types.hpp"

namespace conch::node {

class Timers {
 public:
  struct Due {
    std::string lock;
    TimerId timer{};
    Epoch epoch;
  };

  /// Restarts the timer if it is running.
  void arm(const std::string& lock, TimerId timer, Epoch epoch, Time at) {
    disarm(lock, timer);
    running_[{lock, timer}] = {at, epoch};
    order_.insert({at, lock, timer});
  }
  void disarm(const std::string& lock, TimerId timer) {
    auto found = running_.find({lock, timer});
    if (found == running_.end()) return;
    order_.erase({found->second.first, lock, timer});
    running_.erase(found);
  }
  void clear() {
    running_.clear();
    order_.clear();
  }

  Time next() const { return order_.empty() ? Time::max() : std::get<Time>(*order_.begin()); }
  /// Removes and returns one timer that is due.
  std::optional<Due> take(Time now) {
    if (next() > now) return std::nullopt;
    auto [at, lock, timer] = *order_.begin();
    Due due{lock, timer, running_.at({lock, timer}).second};
    disarm(lock, timer);
    return due;
  }

 private:
  std::map<std::pair<std::string, TimerId>, std::pair<Time, Epoch>> running_;
  std::set<std::tuple<Time, std::string, TimerId>> order_;
};

}  // namespace conch::node
