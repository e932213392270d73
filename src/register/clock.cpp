#include "register/clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "register/directory.hpp"
#include "register/register.hpp"

namespace conch::file {

namespace {

constexpr std::string_view initial_time_namespace = "time:[4026531834]";

/// Avoids streams, which lack O_CLOEXEC: a process that is started meanwhile would inherit the
/// file.
std::string text_of(const char* path) {
  Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 256> bytes{};
  ssize_t size = file ? ::read(file.number(), bytes.data(), bytes.size()) : 0;
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

std::string link_at(const char* path) {
  std::array<char, 64> target{};
  ssize_t size = ::readlink(path, target.data(), target.size());
  return {target.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

/// All processes of a machine must count leases from the same moment, whatever their time
/// namespaces show. The kernel exposes only the offset of the namespace that our children will be
/// in.
Duration own_boot_offset() {
  static const Duration offset = [] {
    std::string own = link_at("/proc/self/ns/time");
    if (own.empty() || own == initial_time_namespace) return Duration::zero();
    bool is_that_of_children = own == link_at("/proc/self/ns/time_for_children");
    auto found = boot_offset_in(text_of("/proc/self/timens_offsets"));
    if (!found || !is_that_of_children)
      throw RegisterError(
          "this process is in a time namespace whose offset cannot be read, so its clock cannot be "
          "compared with other peers' leases: start it in one that it shares with its children "
          "(unshare --fork --time), or in the machine's");
    return *found;
  }();
  return offset;
}

}  // namespace

std::optional<Duration> boot_offset_in(std::string_view timens_offsets) {
  std::istringstream lines{std::string(timens_offsets)};
  std::string clock;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  while (lines >> clock >> seconds >> nanoseconds)
    if (clock == "boottime")
      return std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanoseconds);
  return std::nullopt;
}

Duration since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec) -
         own_boot_offset();
}

timespec on_own_clock(Duration since_boot) {
  // Zero would disarm a timer, and a namespace may show less time than the machine.
  auto count = std::max((since_boot + own_boot_offset()).count(), Duration::rep{1});
  return {count / 1'000'000'000, count % 1'000'000'000};
}

const std::string& boot() {
  static const std::string identifier = [] {
    std::string read = text_of("/proc/sys/kernel/random/boot_id");
    while (read.ends_with('\n')) read.pop_back();
    if (read.empty())
      throw RegisterError(
          "cannot read /proc/sys/kernel/random/boot_id, which leases need: mount /proc");
    return read;
  }();
  return identifier;
}

std::string clock_name() { return boot() + link_at("/proc/self/ns/time"); }

}  // namespace conch::file
