#include "register/lease_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "register/register.hpp"

namespace conch::file {

namespace detail {

struct LeaseMemory {
  static constexpr std::uint64_t magic_number = 0x316573'61656c6863;  // "chlease1"

  std::uint64_t magic = magic_number;
  std::int64_t length = 0;
  /// Nanoseconds since boot; 0 means that the lease is over.
  std::atomic<std::int64_t> end = 0;
  /// The name of the clock, padded with zeroes.
  std::array<char, 128> clock{};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "it is shared by processes");

}  // namespace detail

using detail::LeaseMemory;

namespace {

constexpr int size_seals = F_SEAL_GROW | F_SEAL_SHRINK;

std::array<char, 128> clock_bytes() {
  std::array<char, 128> bytes{};
  std::string name = clock_name();
  std::copy_n(name.begin(), std::min(name.size(), bytes.size()), bytes.begin());
  return bytes;
}

void* map(const Descriptor& memory, int protection) {
  void* page = ::mmap(nullptr, sizeof(LeaseMemory), protection, MAP_SHARED, memory.number(), 0);
  return page == MAP_FAILED ? nullptr : page;
}

[[noreturn]] void complain(std::string_view what) {
  throw RegisterError("the page with the end of the lease " + std::string(what));
}

}  // namespace

/// The seal leaves existing mappings writable, and ours is the only one.
LeasePage::LeasePage(Duration length)
    : memory_(::memfd_create("conch lease", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  void* place = nullptr;
  if (memory_ && ::ftruncate(memory_.number(), sizeof(LeaseMemory)) == 0)
    place = map(memory_, PROT_READ | PROT_WRITE);
  if (!place) complain(std::string("cannot be made: ") + std::strerror(errno));
  page_ = new (place) LeaseMemory;
  page_->length = length.count();
  page_->clock = clock_bytes();
  ::fcntl(memory_.number(), F_ADD_SEALS, size_seals | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
}

LeasePage::~LeasePage() { ::munmap(page_, sizeof(LeaseMemory)); }

void LeasePage::prolong(BootTime end) {
  page_->end.store(end.time_since_epoch().count(), std::memory_order_release);
}

void LeasePage::finish() { page_->end.store(0, std::memory_order_release); }

LeaseReader::LeaseReader(Descriptor memory) : memory_(std::move(memory)) {
  struct stat status {};
  int seals = ::fcntl(memory_.number(), F_GET_SEALS);
  bool is_fixed = seals >= 0 && (seals & size_seals) == size_seals;
  bool fits = ::fstat(memory_.number(), &status) == 0 && status.st_size == sizeof(LeaseMemory);
  if (!is_fixed || !fits) complain("is not one of conch");
  page_ = static_cast<const LeaseMemory*>(map(memory_, PROT_READ));
  if (!page_) complain(std::string("cannot be mapped: ") + std::strerror(errno));
  bool is_one = page_->magic == LeaseMemory::magic_number && page_->length > 0;
  bool same_clock = page_->clock == clock_bytes();
  if (is_one && same_clock) return;
  ::munmap(const_cast<LeaseMemory*>(page_), sizeof(LeaseMemory));
  complain(is_one ? "uses another clock: the peer is in another time namespace"
                  : "is not one of conch");
}

LeaseReader::LeaseReader(LeaseReader&& other) noexcept
    : memory_(std::move(other.memory_)), page_(std::exchange(other.page_, nullptr)) {}

LeaseReader::~LeaseReader() {
  if (page_) ::munmap(const_cast<LeaseMemory*>(page_), sizeof(LeaseMemory));
}

LeaseTimes LeaseReader::read() const {
  return {BootTime(Duration(page_->end.load(std::memory_order_acquire))), Duration(page_->length)};
}

}  // namespace conch::file
