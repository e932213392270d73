// How many lines strangers may make us write: some at once, and then so many in a second.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "core/types.hpp"

namespace conch::net {

class LineRate {
 public:
  static constexpr int at_once_max = 20;
  static constexpr Duration one_every = std::chrono::milliseconds(500);

  /// Whether a line may be written now; if not, it is counted.
  bool allows(Time now) {
    if (now > refilled_ + at_once_max * one_every) refilled_ = now - at_once_max * one_every;
    bool allowed = refilled_ + one_every <= now;
    allowed ? void(refilled_ += one_every) : void(++left_out_);
    return allowed;
  }
  /// To be said with the next line that is written.
  std::string left_out() {
    unsigned count = std::exchange(left_out_, 0);
    return count == 0 ? "" : " (" + std::to_string(count) + " lines like this were left out)";
  }

 private:
  /// Every line that is written moves it on; it is never far behind.
  Time refilled_{};
  unsigned left_out_ = 0;
};

}  // namespace conch::net
