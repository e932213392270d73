// Table 2 of Hernane 2015: how much longer the cycles of peers become because other peers drop
// their requests, leave and come back. It also shows how that depends on T1 and T2, which the paper
// does not state.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "lab/handover_runs.hpp"
#include "sim/distribution.hpp"

namespace conch::lab {

namespace {

using namespace sim::handover;
using sim::Node;

constexpr std::string_view section = "Hernane 2015, section 7.3", table_2 = "Hernane 2015, table 2";

/// The shares of the peers that leave and come back.
constexpr double shares[] = {0.25, 0.33, 0.5};

/// A cell of table 2: an overhead, and the number behind its plus-minus sign, which fits a
/// percentage of the cycle.
struct Printed {
  Node peers;
  double share;
  double seconds;
  double percent;
};
constexpr Printed table[] = {{50, 0.25, 2.27, 0.842}, {50, 0.33, 2.65, 0.98},
                             {50, 0.5, 4.29, 1.56},   {120, 0.25, 4.27, 0.725},
                             {120, 0.33, 6.46, 1.05}, {120, 0.5, 10.34, 1.68}};
constexpr double percent_max = 1.68;

std::optional<Printed> printed(Node peers, double share) {
  for (const Printed& each : table)
    if (each.peers == peers && each.share == share) return each;
  return {};
}

/// T1 = T2, in rounds of the queue of the peers that stay. With half a round, a churner leaves once
/// a round and before the lock comes; this is compared with the paper. With more than one round the
/// lock comes to peers that sleep.
constexpr double usual_wait = 0.5;

struct Point {
  Node peers;
  double share;
  double wait;
  std::string_view engine;
  std::uint64_t departures;
  std::uint64_t unwanted;
  double overhead_s;
  double alone_s;

  double percent() const { return 100 * overhead_s / alone_s; }
};

class Mobility {
 public:
  explicit Mobility(const Setup& setup) : setup_(setup) {}

  ExperimentResult findings();

 private:
  Workload workload(Node staying, Node churners) const;
  void measure_share(Node peers, double share);
  void add(const Point& point, const HandoverRun& with, const HandoverRun& alone,
           const std::string& apart);
  void draw(const Point& point, double off_s);
  double most_percent(double least_wait, double most_wait) const;
  PaperClaim judge_negligible() const;
  PaperClaim judge_sizes() const;
  PaperClaim judge_frequency() const;

  Setup setup_;
  CycleTimeComparison agreement_;
  Table table_{{"peers", "leaving %", "T1 / round", "engine", "departures", "granted in vain",
                "T_DHO", "alone", "overhead", "overhead %", "paper s", "differ"}};
  std::vector<Point> points_;
  Figure overheads_{"What peers that leave and come back cost the others, T1 = T2 = half a round",
                    std::string(table_2),
                    Shape::lines,
                    {"peers that leave and come back", "%"},
                    {"overhead on T_DHO", "% of T_DHO"}};
  Figure waits_{"The same by T1 = T2, in rounds of the queue, half of the peers",
                std::string(section),
                Shape::lines,
                {"T1 / round"},
                {"overhead on T_DHO", "% of T_DHO"}};
};

Workload Mobility::workload(Node staying, Node churners) const {
  Workload workload;
  workload.algorithm = peer_to_peer;
  workload.peers = staying + churners;
  workload.churners = churners;
  workload.cycles = setup_.number("cycles");
  workload.locked = from_s(setup_.number<double>("locked"));
  workload.bytes = setup_.number<std::uint64_t>("data");
  workload.wires = sim::Grid{};
  return workload;
}

void Mobility::measure_share(Node peers, double share) {
  auto churners = static_cast<Node>(std::ceil(share * peers));
  Node staying = peers - churners;
  std::vector<HandoverRun> alone = measure(workload(staying, 0), setup_.seeds, setup_.engines);
  for (double wait : setup_.numbers<double>("waits")) {
    Workload with_churners = workload(staying, churners);
    with_churners.first_wait = with_churners.second_wait = from_s(wait * alone[0].steady.dho_s);
    // SimGrid runs only where the paper is compared, unless it is the only engine.
    Engines engines = wait == usual_wait ? setup_.engines : Engines::sim;
    if (setup_.engines == Engines::simgrid) engines = Engines::simgrid;
    std::vector<HandoverRun> with = measure(with_churners, setup_.seeds, engines);
    for (std::size_t i = 0; i < with.size(); ++i)
      add({peers, share, wait, with[i].engine, with[i].departures, with[i].unwanted,
           with[i].steady.dho_s - alone[i].steady.dho_s, alone[i].steady.dho_s},
          with[i], alone[i], agreement_.compare(with, i));
  }
}

void Mobility::add(const Point& point, const HandoverRun& with, const HandoverRun& alone,
                   const std::string& apart) {
  points_.push_back(point);
  auto paper = printed(point.peers, point.share);
  table_.row(
      {std::to_string(point.peers), fmt::format("{:.0f}", 100 * point.share),
       fmt::format("{}", point.wait), std::string(point.engine), std::to_string(point.departures),
       std::to_string(point.unwanted), print_s(with.steady.dho_s), print_s(point.alone_s),
       print_s(point.overhead_s), fmt::format("{:.2f}", point.percent()),
       paper && point.wait == usual_wait ? fmt::format("{:.2f}", paper->seconds) : "", apart});
  draw(point, std::hypot(with.steady_off.dho_s, alone.steady_off.dho_s));
}

void Mobility::draw(const Point& point, double off_s) {
  Datum datum{100 * point.share, point.percent(), 100 * off_s / point.alone_s};
  std::string series = fmt::format("{} peers, {}", point.peers, point.engine);
  auto paper = printed(point.peers, point.share);
  if (point.wait == usual_wait) {
    overheads_.at(series).points.push_back(datum);
    if (paper && points_.front().engine == point.engine)
      overheads_.at(fmt::format("{} peers, paper", point.peers), Whose::paper)
          .points.push_back({datum.x, paper->percent});
  }
  if (point.share != shares[2]) return;
  waits_.at(series).points.push_back({point.wait, datum.y, datum.error});
}

/// The largest overhead, of either sign, of points whose wait is in this range.
double Mobility::most_percent(double least_wait, double most_wait) const {
  double most = 0;
  for (const Point& point : points_)
    if (least_wait <= point.wait && point.wait <= most_wait)
      most = std::max(most, std::abs(point.percent()));
  return most;
}

PaperClaim Mobility::judge_negligible() const {
  bool everybody_left = true;
  for (const Point& point : points_)
    everybody_left &= point.departures >= setup_.seeds.count() * point.share * point.peers;
  double most = most_percent(usual_wait, usual_wait);
  return {
      std::string(section), "The latencies that departures add are negligible.",
      fmt::format("0.7 to {} % of a cycle", percent_max),
      fmt::format("{:.2f} % at most, of either sign: a request that is dropped is taken out of "
                  "the queue at once, the token passes nobody who will not enter, and what is "
                  "left is the order in which those who stay happen to queue. But with T1 = T2 "
                  "longer than a round it is up to {:.0f} %: the lock comes to peers that sleep, "
                  "and is kept until they drop it.",
                  most, most_percent(1, 100)),
      judged(everybody_left && most <= percent_max)};
}

/// Compares the overheads of the two sizes where there is an overhead: beyond one round.
PaperClaim Mobility::judge_sizes() const {
  auto comparable = [](const Point& a, const Point& b) {
    return a.share == b.share && a.wait == b.wait && a.engine == b.engine && a.peers < b.peers;
  };
  double apart = 1, least = 1e300, most = 0;
  for (const Point& a : points_)
    for (const Point& b : points_) {
      if (a.wait <= 1 || !comparable(a, b)) continue;
      auto [less, more] = std::minmax(a.percent(), b.percent());
      apart = std::max(apart, more / less);
      least = std::min(least, less);
      most = std::max(most, more);
    }
  return {std::string(table_2), "The overhead is approximately the same for both sizes.",
          "0.84, 0.98, 1.56 % of a cycle with 50 peers, 0.73, 1.05, 1.68 % with 120",
          most == 0
              ? "There is nothing to compare without two sizes and T1 = T2 longer than a round."
              : fmt::format("There is none to compare unless T1 = T2 are longer than a round. Then "
                            "it is {:.0f} to {:.0f} % of a cycle, and at most {:.2f} times as much "
                            "with one size as with the other: a cycle takes as long as T1, whoever "
                            "leaves.",
                            least, most, apart),
          most == 0 ? ClaimVerdict::not_comparable : judged(apart <= 1.25)};
}

PaperClaim Mobility::judge_frequency() const {
  double shortest = usual_wait;
  for (const Point& point : points_) shortest = std::min(shortest, point.wait);
  double often = most_percent(shortest, shortest);
  return {std::string(section), "A higher frequency of departures is expected to cost more.", "",
          fmt::format("With T1 = T2 of {} rounds instead of {} it is {:.2f} % of a cycle at most: "
                      "the token does not wait for the tree.",
                      shortest, usual_wait, often),
          judged(often > percent_max)};
}

ExperimentResult Mobility::findings() {
  table_.align_left(3);
  for (Node peers : setup_.numbers<Node>("peers"))
    for (double share : shares)
      if (setup_.scale != Scale::smoke || share != 0.33) measure_share(peers, share);
  ExperimentResult findings{
      fmt::format("{} on the grid, {}, T_locked = {} s, {} cycles each, steady state. Seconds.\n"
                  "leaving: the share that runs listing 1 over and over; alone: the others without "
                  "them. T1 = T2 are\nin rounds of the queue of those others. granted in vain: "
                  "locks that came to somebody who would drop them.",
                  peer_to_peer, print_bytes(setup_.number<std::uint64_t>("data")),
                  setup_.number<double>("locked"), setup_.number("cycles")),
      std::move(table_)};
  findings.claims = {judge_negligible(),
                     judge_sizes(),
                     judge_frequency(),
                     {std::string(table_2), "The overhead in seconds.", "2.27 to 10.34 s",
                      "The paper states neither the size of the data nor T_locked, T1 and T2: 50 "
                      "MiB and 5 s give the cycles that its percentages imply.",
                      ClaimVerdict::not_comparable}};
  if (auto remark = agreement_.remark()) findings.remarks.push_back(*remark);
  findings.figures = {std::move(overheads_), std::move(waits_)};
  return findings;
}

}  // namespace

ExperimentResult dho_mobility(const Setup& setup) { return Mobility(setup).findings(); }

}  // namespace conch::lab
