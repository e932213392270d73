// Bounds the memory of a search. It counts the memory of the whole process that the kernel reports
// as resident, so that nothing is left out. Every container asks before it grows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

namespace conch::check {

/// The bound does not allow what the search needs next.
class MemoryFull : public std::exception {
 public:
  const char* what() const noexcept override { return "the limit of --memory is reached"; }
};

/// Safe to use from several threads.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes_max);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// Reserves room for something large, from before it is allocated until it is resident.
  class Reservation {
   public:
    Reservation(MemoryBudget& memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {
      memory_.claimed_ += bytes_;
      granted_ = memory_.fits();
    }
    ~Reservation() { memory_.claimed_ -= bytes_; }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    bool granted() const { return granted_; }

   private:
    MemoryBudget& memory_;
    std::size_t bytes_;
    bool granted_ = false;
  };

  /// Call this before every growth of up to `step` bytes. Throws MemoryFull.
  void expect_room() const {
    if (!fits()) throw MemoryFull();
  }
  static constexpr std::size_t step = 32 << 10;

  /// Removes the bound. The search is over, and what is left to do takes little memory.
  void lift();
  /// Returns freed memory to the system, so that it is not counted any more.
  static void trim();
  /// The most bytes that this process has ever had resident.
  static std::size_t peak();

 private:
  bool fits() const;
  std::size_t resident() const;

  int statm_ = -1;
  std::atomic<std::size_t> bytes_max_;
  std::atomic<std::size_t> claimed_ = 0;
  /// `lift` frees it, so that a process that gets no more memory can still report that.
  std::atomic<char*> ballast_;
};

struct FreeZeros {
  std::size_t bytes = 0;
  void operator()(void* zeros) const;
};
using Zeros = std::unique_ptr<void, FreeZeros>;
/// Allocates zeros; large areas are resident from the start. Throws std::bad_alloc.
Zeros make_zeros(std::size_t bytes);

}  // namespace conch::check
