#include "check/memory.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <new>
#include <string_view>

namespace conch::check {

namespace {

constexpr std::size_t ballast_bytes = 1 << 20;
/// Areas of at least this size are mapped one by one and return to the system as soon as they are
/// freed.
constexpr std::size_t mapped_bytes = 64 << 10;
/// Room for what grows between two checks and for the report.
constexpr std::size_t slack_bytes = 6 << 20;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// The largest error of the kernel's figure: it counts pages per processor and adds them up only
/// when enough have come together (percpu_counter_batch).
std::size_t uncounted_bytes() {
  auto processors = static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_CONF)));
  return processors * std::max<std::size_t>(32, 2 * processors) * page_bytes();
}

}  // namespace

MemoryBudget::MemoryBudget(std::size_t bytes_max)
    : statm_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)),
      bytes_max_(bytes_max - std::min(bytes_max, slack_bytes + uncounted_bytes())),
      ballast_(static_cast<char*>(std::malloc(ballast_bytes))) {}

MemoryBudget::~MemoryBudget() {
  if (statm_ >= 0) close(statm_);
  std::free(ballast_);
}

bool MemoryBudget::fits() const { return resident() + claimed_ <= bytes_max_; }

/// The second number of statm, in pages. Where there is no /proc, nothing is bounded.
std::size_t MemoryBudget::resident() const {
  char text[128];
  ssize_t size = pread(statm_, text, sizeof text, 0);
  std::string_view rest(text, static_cast<std::size_t>(std::max<ssize_t>(0, size)));
  std::size_t blank = rest.find(' ');
  std::size_t pages = 0;
  if (blank != std::string_view::npos)
    std::from_chars(rest.data() + blank + 1, rest.data() + rest.size(), pages);
  return pages * page_bytes();
}

void MemoryBudget::lift() {
  bytes_max_ = std::numeric_limits<std::size_t>::max();
  std::free(ballast_.exchange(nullptr));
}

void MemoryBudget::trim() { malloc_trim(0); }

std::size_t MemoryBudget::peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) << 10;
}

void FreeZeros::operator()(void* zeros) const {
  bytes < mapped_bytes ? std::free(zeros) : void(munmap(zeros, bytes));
}

Zeros make_zeros(std::size_t bytes) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
  void* zeros = bytes < mapped_bytes ? std::calloc(1, bytes)
                                     : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (zeros == nullptr || zeros == MAP_FAILED) throw std::bad_alloc();
  return Zeros(zeros, FreeZeros{bytes});
}

}  // namespace conch::check
