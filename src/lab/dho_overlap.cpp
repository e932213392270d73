// Figure 8 of Hernane 2015: what an application gains if it does other work between its request and
// its acquire.
#include <fmt/core.h>

#include <cmath>

#include "lab/handover_runs.hpp"
#include "sim/distribution.hpp"

namespace conch::lab {

namespace {

using namespace sim::handover;
using namespace std::chrono_literals;

constexpr double tolerance = 0.01;
constexpr double tolerance_beyond = 0.02;

Workload workload(const Setup& setup, Duration locked, Duration overlap) {
  Workload workload;
  workload.algorithm = peer_to_peer;
  workload.peers = setup.number<sim::Node>("peers");
  workload.bytes = setup.number<std::uint64_t>("data");
  workload.cycles = setup.number("cycles");
  workload.locked = locked;
  workload.overlap = overlap;
  workload.wires = sim::Grid{};
  return workload;
}

/// Below the knee the wait hides the overlap completely; beyond it the wait is too short for that.
enum class Side { below, at, beyond };

struct Point {
  double peers;
  double overlap_s;
  double locked_s;
  Times times;
  /// From the same engine, without overlap.
  Times without;

  double knee_s() const { return without.dho_s * (peers - 1) / peers; }
  Side side() const {
    if (overlap_s < 0.9 * knee_s()) return Side::below;
    return overlap_s > 1.1 * without.dho_s ? Side::beyond : Side::at;
  }
  double expected_blocking_s() const { return std::max(without.wait_s - overlap_s, times.fetch_s); }
  double expected_cycle_s() const {
    return side() == Side::below ? without.dho_s : overlap_s + times.fetch_s + locked_s;
  }
  double blocking_off() const { return std::abs(times.blocking_s / expected_blocking_s() - 1); }
  double cycle_off() const { return std::abs(times.dho_s / expected_cycle_s() - 1); }
  bool holds() const {
    switch (side()) {
      case Side::below: return blocking_off() <= tolerance && cycle_off() <= tolerance;
      case Side::at: return true;
      case Side::beyond: return blocking_off() <= tolerance && cycle_off() <= tolerance_beyond;
    }
    return false;
  }
  std::string verdict() const {
    return side() == Side::at ? "at the knee" : holds() ? "holds" : "FAILS";
  }
};

std::vector<std::string> row(const Point& point, Duration locked, Duration overlap,
                             std::string_view engine, const std::string& apart) {
  return {print_duration(overlap),
          print_duration(locked),
          std::string(engine),
          print_s(point.times.dho_s),
          print_s(point.times.wait_s),
          print_s(point.times.blocking_s),
          print_s(point.expected_blocking_s()),
          point.verdict(),
          apart};
}

struct Worst {
  double blocking = 0;
  double wait = 0;
  /// The growth of the wait over all cycles, per second of overlap.
  double wait_of_all = 0;
  bool all_hold = true;

  void see(const Point& point, const Times& all, const Times& all_without) {
    all_hold &= point.holds();
    if (point.side() != Side::below) return;
    blocking = std::max(blocking, point.blocking_off());
    wait = std::max(wait, std::abs(point.times.wait_s / point.without.wait_s - 1));
    if (point.overlap_s > 0)
      wait_of_all = std::max(wait_of_all, (all.wait_s - all_without.wait_s) / point.overlap_s);
  }
};

std::vector<PaperClaim> judge(const Worst& worst, std::size_t cycles) {
  return {
      {"Hernane 2015, equation 2",
       "Blocked is only who has acquired, until the token is there and the data are fetched: "
       "T_blocking = T_blocked + T_fetch.",
       "",
       fmt::format("T_blocking = max(T_wait(0) - T_W, T_fetch), off by {:.2f}% at most below the "
                   "knee T_W = (n - 1) S.",
                   100 * worst.blocking),
       judged(worst.all_hold)},
      {"Hernane 2015, figure 8(b)",
       "The wait grows a little with the time between request and acquire.", "",
       fmt::format("Over all {} cycles, by up to {:.3f} s for each second of T_W: the first one "
                   "finds no queue to hide in. In the steady state it changes by {:.2f}% at most, "
                   "up to the knee.",
                   cycles, worst.wait_of_all, 100 * worst.wait),
       worst.wait_of_all > 0 ? ClaimVerdict::in_part : ClaimVerdict::does_not_hold},
      {"Hernane 2015, figure 8(b)",
       "5 s between request and acquire overlap well with waiting and fetching.", "5 s",
       "All of it is hidden in the wait, up to the knee; beyond, the cycle is T_W + T_fetch + "
       "T_locked, and only the fetch is waited for.",
       judged(worst.all_hold)},
  };
}

/// The paper states T_locked of (a) alone; the others are ours.
struct LockedPart {
  std::string_view of;
  Duration locked;
};
constexpr LockedPart parts[] = {{"Hernane 2015, figure 8(a)", 0s},
                                {"Hernane 2015, figure 8(b)", 500ms},
                                {"Hernane 2015, figure 8(c)", 1s}};

Figure empty_figure(const LockedPart& part, const Setup& setup) {
  return {
      fmt::format("Cycle, wait and blocking of {} peers, {}, T_locked = {}", setup.number("peers"),
                  print_bytes(setup.number<std::uint64_t>("data")), print_duration(part.locked)),
      std::string(part.of),
      Shape::lines,
      {"T_Wblocked, between request and acquire", "s"},
      {"time", "s"}};
}

void draw(Figure& figure, const Point& point, const HandoverRun& run) {
  auto add = [&](std::string_view what, double Times::*time) {
    figure.at(fmt::format("{}, {}", what, run.engine))
        .points.push_back({point.overlap_s, run.steady.*time, run.steady_off.*time});
  };
  add("T_DHO", &Times::dho_s);
  add("T_wait", &Times::wait_s);
  add("T_blocking", &Times::blocking_s);
  if (run.engine == "sim")
    figure.at("T_blocking expected", Whose::reference)
        .points.push_back({point.overlap_s, point.expected_blocking_s()});
}

}  // namespace

ExperimentResult dho_overlap(const Setup& setup) {
  ExperimentResult findings{
      fmt::format(
          "{} peers on the grid, {}, {}, T_idle = 0, {} cycles each, steady state. "
          "Seconds.\nexpected: T_blocking = max(T_wait without overlap - T_W, T_fetch). The "
          "text has T_locked of figure 8(a) alone.",
          setup.number("peers"), print_bytes(setup.number<std::uint64_t>("data")), peer_to_peer,
          setup.number("cycles")),
      Table({"T_W", "T_locked", "engine", "T_DHO", "T_wait", "T_blocking", "expected", "verdict",
             "differ"})};
  for (std::size_t column : {2u, 7u}) findings.table.align_left(column);
  CycleTimeComparison agreement;
  Worst worst;
  for (const LockedPart& part : parts) {
    Duration locked = part.locked;
    Figure& figure = findings.figures.emplace_back(empty_figure(part, setup));
    std::vector<HandoverRun> without;
    for (double overlap_s : setup.numbers<double>("overlap")) {
      Duration overlap = from_s(overlap_s);
      std::vector<HandoverRun> runs =
          measure(workload(setup, locked, overlap), setup.seeds, setup.engines);
      if (without.empty())
        without = overlap_s == 0
                      ? runs
                      : measure(workload(setup, locked, Duration(0)), setup.seeds, setup.engines);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        Point point{setup.number<double>("peers"), overlap_s, seconds_of(locked), runs[i].steady,
                    without[i].steady};
        worst.see(point, runs[i].all, without[i].all);
        findings.table.row(row(point, locked, overlap, runs[i].engine, agreement.compare(runs, i)));
        draw(figure, point, runs[i]);
      }
    }
  }
  findings.claims = judge(worst, setup.number("cycles"));
  if (auto remark = agreement.remark()) findings.remarks.push_back(*remark);
  return findings;
}

}  // namespace conch::lab
