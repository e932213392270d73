// Points at which a process that is stopped or killed leaves things half done. Tests stop and kill
// there.
#pragma once

#include <cstdint>
#include <functional>

namespace conch::file {

enum class CrashPoint : std::uint8_t {
  /// A view is written and about to be linked.
  before_link,
  /// The view is linked; the proposer does not know yet.
  after_link,
  /// The names in a segment are about to be written to the device.
  before_fsync,
  /// The lease was seen to run and is about to be renewed.
  before_renewal,
  /// The lease is renewed; the newest view has not been read yet.
  after_renewal,
  /// A life's folder was found to be no longer needed, and is about to be removed.
  before_removal,
};

using CrashPoints = std::function<void(CrashPoint)>;

}  // namespace conch::file
