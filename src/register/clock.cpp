#include "register/clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "register/directory.hpp"
#include "register/register.hpp"

namespace conch::file {

Duration since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

const std::string& boot() {
  static const std::string identifier = [] {
    // Not by a stream: a process that is started meanwhile would inherit it.
    Descriptor file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    std::array<char, 64> bytes{};
    ssize_t size = file ? ::read(file.number(), bytes.data(), bytes.size()) : 0;
    std::string read(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    while (read.ends_with('\n')) read.pop_back();
    if (read.empty())
      throw RegisterError(
          "cannot read /proc/sys/kernel/random/boot_id; leases need it: mount /proc");
    return read;
  }();
  return identifier;
}

std::string clock_name() {
  std::array<char, 64> space{};
  ssize_t size = ::readlink("/proc/self/ns/time", space.data(), space.size());
  return boot() + std::string(space.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

}  // namespace conch::file
