// Publishes the end of a lease in a page of memory that its owner shares with other processes of
// the machine: the keepers of commands that run under the owner's locks. They see when the lease
// ends without a message, even while the owner is stopped and after it has died.
//
// Only the owner writes; the memory is sealed against everybody else.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/types.hpp"
#include "register/clock.hpp"
#include "register/directory.hpp"

namespace conch::file {

/// A lease as others see it.
struct LeaseTimes {
  /// When the owner stops relying on the lease, which is before anybody else may treat it as over.
  BootTime end{};
  /// The lease duration, counted from a renewal.
  Duration length{};
};

namespace detail {
struct LeaseMemory;
}

/// The owner's side, one per life. The last value stays readable when the owner has gone.
class LeasePage {
 public:
  /// The lease is over until `prolong` is called. Throws RegisterError if there is no memory.
  explicit LeasePage(Duration length);
  ~LeasePage();
  LeasePage(const LeasePage&) = delete;
  LeasePage& operator=(const LeasePage&) = delete;

  void prolong(BootTime end);
  /// Ends the lease now, whatever was published before.
  void finish();
  /// The descriptor to pass to readers, which cannot write through it.
  int descriptor() const { return memory_.number(); }

 private:
  Descriptor memory_;
  detail::LeaseMemory* page_ = nullptr;
};

/// The side of the processes that were given the descriptor.
class LeaseReader {
 public:
  /// Throws RegisterError if the memory is no such page, could still be resized, or counts time by
  /// another clock than this process.
  explicit LeaseReader(Descriptor memory);
  ~LeaseReader();
  LeaseReader(LeaseReader&& other) noexcept;
  LeaseReader& operator=(LeaseReader&&) = delete;

  LeaseTimes read() const;
  int descriptor() const { return memory_.number(); }

 private:
  Descriptor memory_;
  const detail::LeaseMemory* page_ = nullptr;
};

}  // namespace conch::file
