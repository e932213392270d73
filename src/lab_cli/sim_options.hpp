// The options of `conch sim`, as texts and parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "lab_cli/show.hpp"
#include "lab_cli/tuning_options.hpp"
#include "sim/options.hpp"

namespace conch::lab_cli {

struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
};
/// Parses `7` or `1..200`. Throws BadText.
SeedRange parse_seeds(const std::string& text);

/// The options as they stand on the command line.
struct SimTexts {
  std::string algorithm;
  std::optional<std::string> nodes, clusters, sites;
  std::optional<std::uint64_t> requests;
  std::optional<std::string> hold, think, latency, local_latency, remote_latency, site_latency;
  std::optional<std::string> bandwidth;
  std::string channel = "fifo";
  std::string link = "auto";
  TuningTexts tuning;
  std::uint64_t seed = 1;
  std::optional<std::string> seeds;
  unsigned threads = 1;
  std::string readers = "0";
  std::uint32_t ranges = 1;
  std::string cancel = "0", churn = "0", chatter = "0";
  std::string lose = "0", duplicate = "0", drift = "0";
  std::optional<std::string> clog, detect, storm;
  std::optional<std::uint64_t> drop;
  std::vector<std::string> crash, pause, partition, partition_one_way, suspect;
  // For elections.
  std::optional<std::uint32_t> starts, retires, crashes;
  std::optional<std::string> restarts, spread, answer_timeout, coordinator_timeout;
  // For protocols over an overlay.
  std::optional<std::uint32_t> replicas;
  std::optional<std::string> dht, weather, mishaps, apart, hand_off, retry, without;
  bool check_order = false;
  bool check_visits = false;
  bool json = false;
  std::optional<std::string> trace;
  bool states = false;
  ShowTexts show;
};

void add_sim_options(CLI::App& command, SimTexts& texts);

std::string name_of(const CLI::Option& option);

/// Parses and validates the options. Throws BadText with the option's name and what was expected.
sim::Options to_options(const SimTexts& texts);

}  // namespace conch::lab_cli
