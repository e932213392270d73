#include "run.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "machine.hpp"
#include "way.hpp"

namespace conch::bench {

namespace {

/// Enough bytes for a stable median in a reasonable time.
constexpr std::size_t bytes_a_round = std::size_t{500} << 20;
constexpr std::size_t handovers_max = 500;
constexpr std::size_t handovers_min = 8;
constexpr int overlap_rounds_max = 3;

int handovers_of(std::size_t size) {
  std::size_t count = bytes_a_round / std::max<std::size_t>(size, 1);
  return static_cast<int>(std::clamp(count, handovers_min, handovers_max));
}

Ways all_ways() {
  Ways ways;
  for (Transport transport : {Transport::unix_sockets, Transport::tcp}) {
    ways.push_back(raw_stream(transport));
    ways.push_back(conch_data(transport));
  }
  for (auto& way : redis_values()) ways.push_back(std::move(way));
  for (MpiTransport transport : {MpiTransport::shared_memory, MpiTransport::tcp})
    ways.push_back(mpi_put(transport));
  return ways;
}

bool is_chosen(const Plan& plan, const std::string& name) {
  return plan.only.empty() || std::ranges::any_of(plan.only, [&](const std::string& part) {
           return name.find(part) != std::string::npos;
         });
}

/// Shows the progress to a user at a terminal.
void progress(const std::string& what) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K{}", what);
}

/// A way with the medians of its rounds so far.
struct Trial {
  std::unique_ptr<Way> way;
  std::map<std::size_t, std::vector<double>> medians_ns;
  std::string failure;

  /// A way that has failed is not tried again, because its failure may have taken long.
  void attempt(std::size_t size) {
    if (!failure.empty() || !way->carries(size)) return;
    try {
      medians_ns[size].push_back(median(way->measure({size, handovers_of(size)})));
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      failure = error.what();
    }
  }

  Row row() const {
    Row row{way->name(), {}, failure};
    for (const auto& [size, values] : medians_ns)
      if (!values.empty()) row.times_ns[size] = median(values);
    return row;
  }
};

}  // namespace

std::size_t Result::largest() const { return std::ranges::max(plan.sizes); }

std::optional<double> Result::time_ns(const std::string& name, std::size_t size) const {
  auto row = std::ranges::find(rows, name, &Row::name);
  if (row == rows.end()) return std::nullopt;
  auto time = row->times_ns.find(size);
  return time == row->times_ns.end() ? std::nullopt : std::optional(time->second);
}

/// Each round measures all ways with one size after the other, so that a disturbance of the machine
/// affects all alike.
Result run(const Plan& plan) {
  std::vector<Trial> trials;
  for (auto& way : all_ways())
    if (is_chosen(plan, way->name())) trials.push_back({std::move(way), {}, {}});
  std::vector<std::size_t> sizes = plan.sizes;
  sizes.insert(sizes.begin(), 0);
  for (int round = 1; round <= plan.rounds; ++round)
    for (std::size_t size : sizes)
      for (Trial& trial : trials) {
        progress(fmt::format("round {} of {}: {} bytes, {}", round, plan.rounds, size,
                             trial.way->name()));
        trial.attempt(size);
      }
  Result result{plan, {}, {}, {}};
  for (const Trial& trial : trials) {
    result.rows.push_back(trial.row());
    std::string version = trial.failure.empty() ? trial.way->version() : "";
    bool is_new = !version.empty() && std::ranges::count(result.versions, version) == 0;
    if (is_new) result.versions.push_back(version);
  }
  if (plan.only.empty()) {
    progress("the overlap of work and waiting");
    result.overlap = measure_overlap(result.largest(), std::min(plan.rounds, overlap_rounds_max));
  }
  progress("");
  return result;
}

}  // namespace conch::bench
