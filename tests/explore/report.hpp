// Formats what was explored and found as a table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/outcome.hpp"

namespace conch::explore {

/// The numbers of a family so far.
struct Tally {
  std::string family;
  std::uint64_t tasks = 0;
  std::uint64_t runs = 0;
  std::uint64_t messages = 0;
  double spent_s = 0;
  std::uint64_t found = 0;
  std::map<std::string, std::uint64_t> sometimes = {};
  /// Why the family cannot run here.
  std::string unable = {};

  void add(const TaskResult& outcome, double took_s);
};

/// A failure: the first of its kind in its family, and how many others there were.
struct FirstFailure {
  std::string family;
  std::string kind;
  std::string what;
  std::uint64_t times = 1;
  /// The smallest command that fails in this way, and the one that was drawn.
  std::string command;
  std::string drawn;
  /// The output of the command, and its trace if it has one.
  std::string file;
  /// The failure did not happen again when the command was repeated.
  bool is_gone = false;
};

std::string table_of(const std::vector<Tally>& tallies);
std::string list_of(const std::vector<FirstFailure>& findings);

}  // namespace conch::explore
