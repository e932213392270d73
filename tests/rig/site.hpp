// A machine of its own, as far as its processes can tell. Its network, host name and boot are its
// own; files and process ids are shared. Packets that it sends to other sites can be read from its
// end, and packets written there reach it (a TUN device).
//
// Descriptors of this process and the processes at the site keep the site alive, and the latter die
// with this process: nothing is left, however a test ends. Without root, a site is made in a user
// namespace.
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

/// This machine cannot have sites; the message says what is missing.
class NoSites : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// The message of NoSites; empty if sites can be made.
std::optional<std::string> missing_for_sites();

class Site {
 public:
  /// `folder`, which must exist, is for the files of the site's processes. Throws NoSites.
  Site(std::size_t number, std::string folder);

  /// The name and host name of the site: site0, site1, ...
  std::string name() const { return "site" + std::to_string(number_); }
  std::string address() const;
  const std::string& folder() const { return folder_; }
  /// Gives away the site's end, which carries all packets between the site and the others.
  net::Descriptor take_end() { return std::move(end_); }

  /// Moves this process, which is about to become a program, to the site, with a state directory of
  /// its own. The process dies with the thread that has started it.
  void enter() const;
  /// An AF_INET socket of this type, which belongs to the network of the site.
  net::Descriptor socket(int type) const;

  /// Boots the site again: processes that enter from now on see another boot id, and steady clocks
  /// that began `ago`. Throws NoSites.
  void boot_again(std::chrono::seconds ago);
  /// The processes that are at the site now.
  std::vector<pid_t> processes() const;

 private:
  std::size_t number_;
  std::string folder_;
  net::Descriptor end_;
  /// In the order in which processes enter them.
  std::vector<net::Descriptor> namespaces_;
  std::size_t boots_ = 1;
  net::Descriptor clocks_;
};

}  // namespace conch::rig
