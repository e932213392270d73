// What was explored, and what was found, as a table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/outcome.hpp"

namespace conch::explore {

/// Of a family, so far.
struct Tally {
  std::string family;
  std::uint64_t tasks = 0;
  std::uint64_t runs = 0;
  std::uint64_t messages = 0;
  double spent_s = 0;
  std::uint64_t found = 0;
  std::map<std::string, std::uint64_t> sometimes = {};
  /// Why it cannot run here.
  std::string unable = {};

  void add(const Outcome& outcome, double took_s);
};

/// Something that somebody has to look at; the first of its kind in its family, and how many more.
struct Finding {
  std::string family;
  std::string kind;
  std::string what;
  std::uint64_t times = 1;
  /// The smallest command that fails in this way, and the one that was drawn.
  std::string command;
  std::string drawn;
  /// What it printed, and its trace if it has one.
  std::string file;
  /// Nothing was found when it was run again.
  bool is_gone = false;
};

std::string table_of(const std::vector<Tally>& tallies);
std::string list_of(const std::vector<Finding>& findings);

}  // namespace conch::explore
