#include "register/clock.hpp"

#include <ctime>
#include <fstream>

#include "register/register.hpp"

namespace conch::file {

Duration since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

const std::string& boot() {
  static const std::string identifier = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string read;
    if (!(file >> read))
      throw RegisterError(
          "cannot read /proc/sys/kernel/random/boot_id; leases need it: mount /proc");
    return read;
  }();
  return identifier;
}

}  // namespace conch::file
