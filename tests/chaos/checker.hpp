// Checks whether the history of a chaos run is one that locks may have. It knows what a lock
// promises but not how a lock works: it includes nothing of Conch.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace chaos {

struct Terms {
  /// The length of a lease: within it, a peer that was cut off learns what it has lost.
  double lease_seconds = 1;
  /// How many other peers have the data when a writer has left.
  std::size_t copies = 1;
};

struct Verdict {
  /// Everything that must not happen; empty if nothing was found.
  std::vector<std::string> complaints;
  /// How many of the complaints are about the history. They come first; the others are about the
  /// run.
  std::size_t in_history = 0;

  std::map<std::string, std::uint64_t> faults;
  std::uint64_t entries = 0;
  /// Entries that follow an entry of another life.
  std::uint64_t handovers = 0;
  /// Entries of peers that went on although a fault had hit them.
  std::uint64_t entries_while_hit = 0;
  /// Writes that were refused because the lock belonged to another by then.
  std::uint64_t refused = 0;
  std::uint64_t gave_up = 0;
  std::uint64_t put_out = 0;
  std::uint64_t clock_steps = 0;
  /// Entries that found the data as the last holder left them, and losses of data that are allowed
  /// because too many peers were away at once.
  std::uint64_t data_found = 0;
  std::uint64_t data_excused = 0;
  /// The times from a fault that hit a holder to the next entry.
  std::vector<double> recoveries_seconds;

  bool is_good() const { return complaints.empty(); }
};

Verdict check(std::istream& history, const Terms& terms);

}  // namespace chaos
