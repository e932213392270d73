#include "report.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace conch::bench {

namespace {

constexpr int name_width = 25;

void print_head() {
  constexpr const char* line = "{:<{}} {:>8} {:>6} {:>10} {:>7} {:>8} {:>9} {:>11} {:>9} {:>7}\n";
  fmt::print(line, "", name_width, "alone", "", "handovers", "again", "gap", "wait", "share",
             "messages", "bytes");
  fmt::print(line, "", name_width, "us", "procs", "per s", "%", "us", "us", "%", "per entry", "");
}

/// The time of a lock and an unlock of a process that is alone.
std::string alone(const Row& row) {
  const Reading* reading = row.reading(1);
  return reading == nullptr ? "-" : us(1e9 / reading->entries_per_s);
}

void print_cell(const std::string& name, const std::string& alone, int processes,
                const Cell& cell) {
  fmt::print("{:<{}} {:>8} {:>6} ", name, name_width, alone, processes);
  if (!cell.reading) {
    fmt::print(" {}\n", cell.failure);
    return;
  }
  const Reading& reading = *cell.reading;
  double again = 100 * (1 - reading.handovers_per_s / reading.entries_per_s);
  fmt::print("{:>10.0f} {:>7.1f} {:>8} {:>9} {:>11} {:>9.1f} {:>7.0f}\n", reading.handovers_per_s,
             again, us(reading.gap_ns), us(reading.wait_ns),
             fmt::format("{:.1f}..{:.1f}", reading.share_min, reading.share_max), reading.messages,
             reading.bytes);
}

void print_row(const Row& row) {
  bool first = true;
  for (const auto& [processes, cell] : row.cells) {
    if (processes == 1 && cell.reading) continue;
    if (processes == 1) {
      fmt::print("{:<{}}  {}\n", row.name, name_width, cell.failure);
    } else {
      print_cell(first ? row.name : "", first ? alone(row) : "", processes, cell);
    }
    first = false;
  }
}

std::string words(const Figure& figure, const char* format) {
  if (!figure.value) return figure.failure.empty() ? "not measured" : figure.failure;
  return fmt::format(fmt::runtime(format), *figure.value);
}

void print_sheet(const Sheet& sheet) {
  fmt::print("{}; 64 bytes one way: {} us over TCP, {} us over a Unix socket\n\n", sheet.title,
             us(sheet.tcp_ns), us(sheet.unix_ns));
  print_head();
  for (const Row& row : sheet.rows) print_row(row);
  fmt::print("\n");
  if (sheet.row(naimi_trehel_tcp) == nullptr) return;
  fmt::print("conch, an idle lock again, lock+unlock: {}\n",
             words(sheet.reacquire_ns, "{:.0f} ns"));
  fmt::print("conch, 1000 locks, {} processes:         {}\n", process_counts.back(),
             words(sheet.thousand_locks_percent, "{:.0f} % of the rate of one lock"));
  fmt::print("conch, an idle lock in a peer:          {}\n\n",
             words(sheet.idle_lock_bytes, "{:.0f} bytes"));
}

// Targets.

enum class Bound : std::uint8_t { at_most, at_least };

struct Target {
  std::string what;
  Bound bound = Bound::at_most;
  double limit = 0;
  /// Each of these values must be within the limit.
  std::vector<double> measured;

  bool is_met() const {
    for (double value : measured)
      if (bound == Bound::at_most ? value > limit : value < limit) return false;
    return true;
  }
};

void print(const Target& target) {
  std::string measured;
  for (double value : target.measured)
    measured += fmt::format(" {:>7.{}f}", value, value < 100 ? 2 : 0);
  fmt::print("{:<51} {} {:>5}  {:<24}  {}\n", target.what,
             target.bound == Bound::at_most ? "at most " : "at least", target.limit,
             measured.empty() ? "       -" : measured,
             measured.empty()  ? "not measured"
             : target.is_met() ? "met"
                               : "not met");
}

Target gap_target(const Sheet& sheet) {
  Target target{sheet.title + ": gap / TCP one way", Bound::at_most, 2, {}};
  const Row* ours = sheet.row(naimi_trehel_tcp);
  if (ours == nullptr) return target;
  for (int processes : process_counts)
    if (const Reading* reading = ours->reading(processes))
      target.measured.push_back(reading->gap_ns / sheet.tcp_ns);
  return target;
}

Target rate_target(const Sheet& sheet, const std::string& rival, double limit) {
  Target target{sheet.title + ": handovers / " + rival, Bound::at_least, limit, {}};
  const Row* ours = sheet.row(naimi_trehel_tcp);
  const Row* theirs = sheet.row(rival);
  if (ours == nullptr || theirs == nullptr) return target;
  for (int processes : process_counts) {
    const Reading* a = ours->reading(processes);
    const Reading* b = theirs->reading(processes);
    if (a != nullptr && b != nullptr)
      target.measured.push_back(a->handovers_per_s / b->handovers_per_s);
  }
  return target;
}

Target figure_target(const std::string& what, Bound bound, double limit, const Figure& figure) {
  Target target{what, bound, limit, {}};
  if (figure.value) target.measured.push_back(*figure.value);
  return target;
}

std::vector<Target> targets(const Result& result) {
  const Sheet& pinned = result.pinned;
  return {
      gap_target(pinned),
      rate_target(pinned, minimal, 1.3),
      rate_target(pinned, best_redis, 2),
      rate_target(pinned, "ZooKeeper", 50),
      rate_target(pinned, "etcd", 100),
      gap_target(result.free),
      figure_target("an idle lock again, ns", Bound::at_most, 1000, pinned.reacquire_ns),
      figure_target("1000 locks, % of the rate of one", Bound::at_least, 70,
                    pinned.thousand_locks_percent),
      figure_target("an idle lock, bytes", Bound::at_most, 2048, pinned.idle_lock_bytes),
  };
}

// JSON.

nlohmann::json json_of(const Cell& cell) {
  if (!cell.reading) return {{"failure", cell.failure}};
  const Reading& reading = *cell.reading;
  return {{"entries_per_s", reading.entries_per_s},
          {"handovers_per_s", reading.handovers_per_s},
          {"gap_ns", reading.gap_ns},
          {"wait_ns", reading.wait_ns},
          {"share_min", reading.share_min},
          {"share_max", reading.share_max},
          {"messages", reading.messages},
          {"bytes", reading.bytes}};
}

nlohmann::json json_of(const Figure& figure) {
  if (!figure.value) return nullptr;
  return *figure.value;
}

nlohmann::json json_of(const Sheet& sheet) {
  nlohmann::json rows = nlohmann::json::object();
  for (const Row& row : sheet.rows)
    for (const auto& [processes, cell] : row.cells)
      rows[row.name][std::to_string(processes)] = json_of(cell);
  return {{"tcp_one_way_ns", sheet.tcp_ns},
          {"unix_one_way_ns", sheet.unix_ns},
          {"contenders", rows},
          {"reacquire_ns", json_of(sheet.reacquire_ns)},
          {"thousand_locks_percent", json_of(sheet.thousand_locks_percent)},
          {"idle_lock_bytes", json_of(sheet.idle_lock_bytes)}};
}

}  // namespace

void print_tables(const Result& result) {
  std::string versions;
  for (const std::string& version : result.pinned.versions)
    if (versions.find(version) == std::string::npos)
      versions += (versions.empty() ? "" : ", ") + version;
  if (!versions.empty()) fmt::print("{}\n", versions);
  fmt::print("\n");
  print_sheet(result.pinned);
  print_sheet(result.free);
}

void print_targets(const Result& result) {
  fmt::print("Targets, for {}; three numbers are with 2, 4 and 8 processes:\n", naimi_trehel_tcp);
  for (const Target& target : targets(result)) print(target);
}

void print_json(const Result& result) {
  fmt::print("{}\n", nlohmann::json{{"pinned", json_of(result.pinned)},
                                    {"free", json_of(result.free)},
                                    {"versions", result.pinned.versions}}
                         .dump(2));
}

}  // namespace conch::bench
