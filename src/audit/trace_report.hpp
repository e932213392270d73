// The result of checking traces: violations, and counts of what occurred.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/stream.hpp"
#include "oracle/oracles.hpp"

namespace conch::audit {

/// A line as evidence, and what it says.
struct Evidence {
  TracePosition place;
  std::string says;
};

struct TraceViolation {
  oracle::Property property;
  std::string what;
  /// The lines that contradict each other.
  std::vector<Evidence> exhibits;
};

struct TraceReport {
  /// Further violations are counted, but not kept.
  static constexpr std::size_t kept_max = 20;

  std::vector<TraceViolation> violations;
  std::uint64_t violation_count = 0;

  // If these are zero, a clean result means little.
  std::uint64_t events = 0;
  std::uint64_t messages = 0;
  std::uint64_t entries = 0;
  /// Entries that follow another peer's entry.
  std::uint64_t handovers = 0;
  std::uint64_t locks = 0;
  std::uint64_t peers = 0;
  std::uint64_t lives = 0;
  std::uint64_t epochs = 0;
  std::uint64_t suspicions = 0;
  /// Holds that ended because their holder was put out, and holds that their holder reported as
  /// lost.
  std::uint64_t revoked = 0;
  std::uint64_t losses = 0;
  /// In nanoseconds.
  std::int64_t begin = 0;
  std::int64_t end = 0;

  // What could not be checked.
  std::uint64_t killed = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t gaps = 0;
  /// Peers that take part but are not traced.
  std::uint64_t strangers = 0;
  /// Messages whose sending is in no trace: from strangers, from killed peers, or sent in gaps.
  std::uint64_t unseen = 0;
  /// Entries that cannot be ordered against others.
  std::uint64_t unordered = 0;

  void report(TraceViolation violation) {
    if (violation_count++ < kept_max) violations.push_back(std::move(violation));
  }
};

}  // namespace conch::audit
