// What was found wrong in traces, and what was seen in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/stream.hpp"
#include "oracle/oracles.hpp"

namespace conch::audit {

/// A line, and what it says.
struct Exhibit {
  Place place;
  std::string says;
};

struct Violation {
  oracle::Property property;
  std::string what;
  /// What contradicts each other.
  std::vector<Exhibit> exhibits;
};

struct Docket {
  /// More are counted, but not kept.
  static constexpr std::size_t kept_max = 20;

  std::vector<Violation> violations;
  std::uint64_t violation_count = 0;

  // What must have been seen for the rest to mean something.
  std::uint64_t events = 0;
  std::uint64_t messages = 0;
  std::uint64_t entries = 0;
  /// Entries after somebody else's.
  std::uint64_t handovers = 0;
  std::uint64_t locks = 0;
  std::uint64_t peers = 0;
  std::uint64_t lives = 0;
  std::uint64_t epochs = 0;
  std::uint64_t suspicions = 0;
  /// Holds that ended because their holder was put out, and those that somebody lost.
  std::uint64_t revoked = 0;
  std::uint64_t losses = 0;
  /// In nanoseconds.
  std::int64_t begin = 0;
  std::int64_t end = 0;

  // What could not be checked.
  std::uint64_t killed = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t gaps = 0;
  /// Of peers that are not traced.
  std::uint64_t strangers = 0;
  /// Messages whose sending nobody wrote down: of strangers, of those who were killed, in gaps.
  std::uint64_t unseen = 0;
  /// Entries of which nobody can say whether others were before or after them.
  std::uint64_t unordered = 0;

  void report(Violation violation) {
    if (violation_count++ < kept_max) violations.push_back(std::move(violation));
  }
};

}  // namespace conch::audit
