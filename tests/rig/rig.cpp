#include "rig/rig.hpp"

#include <sys/prctl.h>

#include <filesystem>

namespace conch::rig {

namespace {

constexpr int never_began = 98;

/// Sets the death signal last, because every change of the process's privileges clears it.
void begin_at(const Site& site, pid_t parent) {
  try {
    site.enter();
  } catch (const NoSites& complaint) {
    std::fprintf(stderr, "%s\n", complaint.what());
    ::_exit(never_began);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(never_began);
}

}  // namespace

Rig::Rig(std::size_t sites, std::uint64_t seed) {
  std::vector<net::Descriptor> ends;
  for (std::size_t number = 0; number < sites; ++number) {
    std::string folder = scratch_.path() + "/site" + std::to_string(number);
    std::filesystem::create_directory(folder);
    ends.push_back(sites_.emplace_back(number, folder).take_end());
  }
  wire_.emplace(std::move(ends), seed);
}

Process& Rig::start(std::size_t site, std::vector<std::string> words) {
  return processes_.emplace_back(
      std::move(words), [at = &this->site(site), parent = ::getpid()] { begin_at(*at, parent); });
}

}  // namespace conch::rig
