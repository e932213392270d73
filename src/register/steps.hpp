// The places in which a process that is stopped or killed leaves things in between. Tests go there.
#pragma once

#include <cstdint>
#include <functional>

namespace conch::file {

enum class Step : std::uint8_t {
  /// A view is written and about to be linked.
  before_link,
  /// It is linked; the proposer does not know yet.
  after_link,
  /// The names in a segment are about to be written to the device.
  before_fsync,
  /// The lease was seen to run and is about to be prolonged.
  before_renewal,
  /// It is prolonged; the newest view has not been read yet.
  after_renewal,
  /// The directory of a life that is of no use was seen and is about to be removed.
  before_removal,
};

using Steps = std::function<void(Step)>;

}  // namespace conch::file
