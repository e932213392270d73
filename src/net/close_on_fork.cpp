#include "net/close_on_fork.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace conch::net {

namespace {

/// One atomic bit per descriptor, so that a fork finds a consistent state whatever other threads
/// do. Descriptors with larger numbers stay open in children.
constexpr std::size_t descriptors_max = std::size_t{1} << 16;
std::array<std::atomic<std::uint64_t>, descriptors_max / 64> own_descriptors;

std::uint64_t bit_of(int descriptor) { return std::uint64_t{1} << (descriptor % 64); }
bool is_counted(int descriptor) {
  return descriptor >= 0 && static_cast<std::size_t>(descriptor) < descriptors_max;
}
std::atomic<std::uint64_t>& word_of(int descriptor) {
  return own_descriptors[static_cast<std::size_t>(descriptor) / 64];
}

void close_all() {
  for (std::size_t i = 0; i < own_descriptors.size(); ++i) {
    std::uint64_t bits = own_descriptors[i].exchange(0);
    for (int j = 0; j < 64; ++j)
      if ((bits >> j & 1U) != 0) ::close(static_cast<int>(i) * 64 + j);
  }
}

}  // namespace

void close_on_fork(int descriptor) {
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(nullptr, nullptr, close_all); });
  if (is_counted(descriptor)) word_of(descriptor).fetch_or(bit_of(descriptor));
}

void forget_on_fork(int descriptor) {
  bool is_own = is_counted(descriptor) &&
                (word_of(descriptor).load(std::memory_order_relaxed) & bit_of(descriptor)) != 0;
  if (is_own) word_of(descriptor).fetch_and(~bit_of(descriptor));
}

}  // namespace conch::net
