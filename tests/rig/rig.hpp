// Several sites and the wire between them, for tests of processes on several machines:
//
//   if (auto missing = rig::missing_for_sites()) GTEST_SKIP() << *missing;
//   rig::Rig rig(3, seed);
//   rig.wire().set({.delay = 30ms, .lose = 0.01});
//   Process& first = rig.start(0, {PROGRAM, "--listen", rig.site(0).address() + ":7947"});
//   rig.wire().part({0});                      // site 0 is cut off
//   rig.wire().heal();
//
// All started processes are killed when the rig is destroyed, and also when the test is killed.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "process.hpp"
#include "register/testing/scratch.hpp"
#include "rig/site.hpp"
#include "rig/wire.hpp"

namespace conch::rig {

class Rig {
 public:
  /// Throws NoSites.
  Rig(std::size_t sites, std::uint64_t seed);

  std::size_t size() const { return sites_.size(); }
  const Site& site(std::size_t number) const { return sites_.at(number); }
  Site& site(std::size_t number) { return sites_.at(number); }
  Wire& wire() { return *wire_; }
  /// A folder that all sites see; its folders `site0`, `site1`, ... belong to the sites.
  const std::string& folder() const { return scratch_.path(); }

  /// Starts a program at a site.
  Process& start(std::size_t site, std::vector<std::string> words);

 private:
  ScratchFolder scratch_;
  std::vector<Site> sites_;
  std::optional<Wire> wire_;
  std::list<Process> processes_;
};

}  // namespace conch::rig
