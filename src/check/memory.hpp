// The memory that a search may use, of the whole process: what the kernel counts as resident, so
// that nothing is forgotten. Whatever grows asks before it does.
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
  const char* what() const noexcept override { return "the memory that --memory allows is full"; }
};

/// Safe to use from several threads.
class Memory {
 public:
  explicit Memory(std::size_t bytes_max);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Room for something large, from before it is allocated until it is resident.
  class Claim {
   public:
    Claim(Memory& memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {
      memory_.claimed_ += bytes_;
      granted_ = memory_.fits();
    }
    ~Claim() { memory_.claimed_ -= bytes_; }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    bool granted() const { return granted_; }

   private:
    Memory& memory_;
    std::size_t bytes_;
    bool granted_ = false;
  };

  /// Before every growth of up to `step` bytes. Throws MemoryFull.
  void expect_room() const {
    if (!fits()) throw MemoryFull();
  }
  static constexpr std::size_t step = 32 << 10;

  /// The search is over: what is left to do takes little and is not bounded any more.
  void lift();
  /// Gives back to the system what was freed, so that it is not counted any more.
  static void trim();
  /// The most that this process ever had resident.
  static std::size_t peak();

 private:
  bool fits() const;
  std::size_t resident() const;

  int statm_ = -1;
  std::atomic<std::size_t> bytes_max_;
  std::atomic<std::size_t> claimed_ = 0;
  /// Freed by `lift`: who was refused memory by the system must still be able to say so.
  std::atomic<char*> ballast_;
};

/// Zeros, resident from the start if they are many. Throws std::bad_alloc.
struct FreeZeros {
  std::size_t bytes = 0;
  void operator()(void* zeros) const;
};
using Zeros = std::unique_ptr<void, FreeZeros>;
Zeros make_zeros(std::size_t bytes);

}  // namespace conch::check
