// A machine of its own, as far as its processes can tell: its network, its host's name and its boot
// are its own; files and process numbers are everybody's. What it sends to other sites comes out of
// its end, and what is written there reaches it (a TUN device).
//
// A site is kept by descriptors of this process and by the processes in it, which die with this
// one: nothing is left, however a test ends. Who is not root makes a site in a user namespace.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "net/descriptor.hpp"

namespace conch::rig {

/// This machine does not let us make sites; the message says what is missing.
class NoSites : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// That message; nothing if sites can be made.
std::optional<std::string> missing_for_sites();

class Site {
 public:
  /// Its processes have their files in this folder, which must exist. Throws NoSites.
  Site(std::size_t number, std::string folder);

  /// site0, site1, ...: also the name of the host.
  std::string name() const { return "site" + std::to_string(number_); }
  std::string address() const;
  const std::string& folder() const { return folder_; }
  /// Whoever takes it has the site's network in its hands.
  net::Descriptor take_end() { return std::move(end_); }

  /// A process that is about to become a program moves there, with a state directory
  /// of its own. It dies with the thread that has started it.
  void enter() const;
  /// For AF_INET and this type: it is the site's, whoever uses it.
  net::Descriptor socket(int type) const;

  /// What enters from here on sees another boot, and steady clocks that show that it was so long
  /// ago. Throws NoSites.
  void boot_again(std::chrono::seconds ago);
  /// Those that are there now.
  std::vector<pid_t> processes() const;

 private:
  std::size_t number_;
  std::string folder_;
  net::Descriptor end_;
  /// In the order in which they are entered.
  std::vector<net::Descriptor> namespaces_;
  std::size_t boots_ = 1;
  net::Descriptor clocks_;
};

}  // namespace conch::rig
