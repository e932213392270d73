// Whether the history of a chaos run is one that locks may have. Knows what a lock promises, and
// nothing of who kept it or how: it includes nothing of Conch.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace chaos {

struct Terms {
  /// How long somebody may be out before those who last heard of it know.
  double lease_seconds = 1;
  /// So many others have what was written when a writer has left.
  std::size_t copies = 1;
};

struct Verdict {
  /// What must not be; empty: nothing was found.
  std::vector<std::string> complaints;
  /// So many of them, the first, are about the history; the others about the run.
  std::size_t in_history = 0;

  std::map<std::string, std::uint64_t> faults;
  std::uint64_t entries = 0;
  /// Entries of somebody else than the last.
  std::uint64_t handovers = 0;
  /// Of those whom a fault had hit, and who could still go on.
  std::uint64_t entries_while_hit = 0;
  /// What somebody wanted to write whose lock was another's by then.
  std::uint64_t refused = 0;
  std::uint64_t gave_up = 0;
  std::uint64_t put_out = 0;
  std::uint64_t clock_steps = 0;
  /// Entries that found data as the last one had left them, and the times that data were lost by
  /// right: too many had gone at once.
  std::uint64_t data_found = 0;
  std::uint64_t data_excused = 0;
  /// From a fault that hit a holder to the next entry.
  std::vector<double> recoveries_seconds;

  bool is_good() const { return complaints.empty(); }
};

Verdict check(std::istream& history, const Terms& terms);

}  // namespace chaos
