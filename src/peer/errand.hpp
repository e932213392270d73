// Getting the data that a lock protects to whoever holds it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "core/types.hpp"
#include "net/stream.hpp"
#include "peer/buffer.hpp"
#include "recovery/view.hpp"

namespace conch::peer {

/// Under the engine's guard, except the progress.
struct Errand {
  std::string lock;
  /// The handle's, for this transfer.
  std::uint64_t number = 0;
  /// Where they are; that may change.
  DataRef data;
  /// What is wanted of them.
  Range range;
  /// A copy is wanted that nobody else sees.
  bool apart = false;

  /// A thread runs it, or has.
  bool taken = false;
  bool ended = false;
  /// Nobody wants it any more.
  bool cancelled = false;
  /// Members that do not have these data.
  std::set<recovery::Life> without;
  /// The place of the data, or who is in the group, or the wish for them has changed.
  std::condition_variable woken;
  /// Over which it is under way.
  std::shared_ptr<net::Stream> stream;

  std::atomic<std::uint64_t> moved = 0;
  std::atomic<std::uint64_t> total = 0;

  // What came of it.

  /// None: nobody has the data.
  std::shared_ptr<Buffer> buffer;
  bool torn = false;
  /// Nobody else sees the buffer.
  bool own = false;
  /// It has nothing but the range.
  bool partial = false;
  /// They came from another machine.
  bool streamed = false;

  void cancel() {
    cancelled = true;
    if (stream) stream->abort();
    woken.notify_all();
  }
  void move_to(const DataRef& place) {
    if (data != place) without.clear();
    data = place;
    woken.notify_all();
  }
};

}  // namespace conch::peer
