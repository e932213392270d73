// Limits the log lines that outsiders can cause. The same fact is logged once, and again after
// longer and longer pauses. All facts together may cause a few lines at once, and then so many a
// second.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/types.hpp"

namespace conch::wire {

class LineRate {
 public:
  static constexpr int at_once_max = 20;
  static constexpr Duration one_every = std::chrono::milliseconds(500);
  static constexpr Duration first_pause = std::chrono::minutes(1);
  static constexpr Duration longest_pause = std::chrono::hours(1);
  /// Beyond that, the fact that may be logged again first is forgotten.
  static constexpr std::size_t facts_max = 64;

  /// Whether a line about this fact may be written now; if not, it is counted.
  bool allows(Time now, const std::string& fact) {
    bool allowed = is_due(now, fact) && take_turn(now);
    allowed ? note(now, fact) : void(++left_out_);
    return allowed;
  }
  /// A note about the lines left out, to be added to the next line.
  std::string left_out() {
    unsigned count = std::exchange(left_out_, 0);
    return count == 0 ? "" : " (left out before it: " + std::to_string(count) + ")";
  }

 private:
  struct Announcement {
    Time again{};
    Duration pause = first_pause;
  };

  bool is_due(Time now, const std::string& fact) const {
    auto found = told_.find(fact);
    return found == told_.end() || found->second.again <= now;
  }
  bool take_turn(Time now) {
    if (now > refilled_ + at_once_max * one_every) refilled_ = now - at_once_max * one_every;
    bool allowed = refilled_ + one_every <= now;
    if (allowed) refilled_ += one_every;
    return allowed;
  }
  void note(Time now, const std::string& fact) {
    if (told_.size() == facts_max && !told_.contains(fact))
      told_.erase(std::min_element(told_.begin(), told_.end(), [](const auto& a, const auto& b) {
        return a.second.again < b.second.again;
      }));
    Announcement& told = told_[fact];
    told.again = now + told.pause;
    told.pause = std::min(longest_pause, 2 * told.pause);
  }

  /// Each line moves it on by `one_every`. It is never more than `at_once_max` lines behind.
  Time refilled_{};
  std::map<std::string, Announcement> told_;
  unsigned left_out_ = 0;
};

}  // namespace conch::wire
