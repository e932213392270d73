// Until when a lease runs, as a page of memory that its owner shares with other processes of the
// machine: the keepers of commands that run under the owner's locks. They see the end of the lease
// without a message, also while its owner is stopped, and after it has died.
//
// The owner alone writes it; the memory is sealed against everybody else.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/types.hpp"
#include "register/clock.hpp"
#include "register/directory.hpp"

namespace conch::file {

/// What a lease looks like from outside.
struct LeaseTimes {
  /// When its owner may rely on it no longer: before anybody else may act as if it were over.
  BootTime end{};
  /// How long it lasts after a renewal.
  Duration length{};
};

namespace detail {
struct LeaseMemory;
}

/// The owner's side, one for each life. What it says last stays when the owner has gone.
class LeasePage {
 public:
  /// Says that the lease is over until it is prolonged. Throws RegisterError if there is no memory.
  explicit LeasePage(Duration length);
  ~LeasePage();
  LeasePage(const LeasePage&) = delete;
  LeasePage& operator=(const LeasePage&) = delete;

  void prolong(BootTime end);
  /// It is over now, whatever was said before.
  void finish();
  /// For others, who can only read it.
  int descriptor() const { return memory_.number(); }

 private:
  Descriptor memory_;
  detail::LeaseMemory* page_ = nullptr;
};

/// The side of those who were given its descriptor.
class LeaseReader {
 public:
  /// Throws RegisterError if it is no such page, could change its size, or counts time by another
  /// clock than this process does.
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
