// Table 2 of Hernane 2015: what the cycles of peers that stay cost more because others drop their
// requests, leave and come back.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lab/handover_runs.hpp"
#include "sim/distribution.hpp"

namespace conch::lab {

namespace {

using namespace sim::handover;
using namespace std::chrono_literals;
using sim::Node;

/// A row of the paper's table.
struct Setting {
  Node peers;
  double share;
  double paper_s;

  Node churners() const { return static_cast<Node>(std::ceil(share * peers)); }
};

constexpr Setting settings[] = {{50, 0.25, 2.27},  {50, 0.33, 2.65},  {50, 0.5, 4.29},
                                {120, 0.25, 4.27}, {120, 0.33, 6.46}, {120, 0.5, 10.34}};

/// The paper states neither; these give the cycle that its percentages imply.
constexpr Duration locked = 5s;
constexpr std::uint64_t bytes = 50 << 20;
constexpr double slot_s = 5.47;
/// In message times, of every churner.
constexpr double overhead_max = 3;
/// What counts as nothing, in message times of every churner: those who stay may queue in another
/// order, and routes of a grid differ.
constexpr double resolution = 1;

/// T1 and T2 together are a round of the queue, so that everybody who churns does it once a round
/// and no lock is kept waiting by somebody who will give it up.
Workload workload(Node staying, Node churners, const sim::Wires& wires) {
  Workload workload;
  workload.algorithm = peer_to_peer;
  workload.peers = staying + churners;
  workload.churners = churners;
  workload.cycles = 10;
  workload.locked = locked;
  workload.bytes = bytes;
  workload.first_wait = workload.second_wait =
      std::chrono::milliseconds(std::lround(1000 * slot_s * staying / 2));
  workload.wires = wires;
  return workload;
}

struct Point {
  Setting setting;
  double overhead_s;
  double message_s;
  std::uint64_t departures;

  double messages_each() const { return overhead_s / setting.churners() / message_s; }
};

/// The best line through the origin: overhead for each churner.
double slope(const std::vector<Point>& points) {
  double xy = 0;
  double xx = 0;
  for (const Point& point : points) {
    xy += point.setting.churners() * point.overhead_s;
    xx += static_cast<double>(point.setting.churners()) * point.setting.churners();
  }
  return xy / xx;
}

/// Within a tenth of the line, or of nothing.
bool is_linear(const std::vector<Point>& points) {
  for (const Point& point : points) {
    double line_s = slope(points) * point.setting.churners();
    double nothing_s = resolution * point.message_s * point.setting.churners();
    if (std::abs(point.overhead_s - line_s) > std::max(0.1 * std::abs(line_s), nothing_s))
      return false;
  }
  return true;
}

class Mobility {
 public:
  explicit Mobility(const Setup& setup) : setup_(setup) {}

  Findings findings();

 private:
  void measure_on(const Setting& setting, std::string_view name, const sim::Wires& wires,
                  Engines engines);
  void draw(const Setting& setting, const Run& with, const Run& alone, std::string_view name);
  void judge(Findings& findings) const;

  Setup setup_;
  Agreement agreement_;
  Table table_{{"peers", "leaving", "wires", "engine", "departures", "T_DHO", "alone", "overhead",
                "each", "paper", "differ"}};
  /// By wires and engine.
  std::map<std::string, std::vector<Point>> points_;
  Figure overheads_{"What peers that leave and come back cost the others",
                    "Hernane 2015, table 2",
                    Shape::lines,
                    {"peers that leave and come back", "%"},
                    {"overhead on T_DHO", "s"}};
  Figure slots_{"The same for each of them",
                "Hernane 2015, table 2",
                Shape::lines,
                {"peers that leave and come back", "%"},
                {"overhead for each", "s"}};
};

void Mobility::measure_on(const Setting& setting, std::string_view name, const sim::Wires& wires,
                          Engines engines) {
  Node churners = setting.churners();
  Node staying = setting.peers - churners;
  std::vector<Run> with = measure(workload(staying, churners, wires), setup_.seeds, engines);
  std::vector<Run> alone = measure(workload(staying, 0, wires), setup_.seeds, engines);
  for (std::size_t i = 0; i < with.size(); ++i) {
    double with_s = with[i].steady.dho_s;
    double alone_s = alone[i].steady.dho_s;
    Point point{setting, with_s - alone_s, seconds_of(mean_latency(wires, setting.peers)),
                with[i].departures};
    points_[fmt::format("{} {}", name, with[i].engine)].push_back(point);
    table_.row({std::to_string(setting.peers), fmt::format("{:.0f}%", 100 * setting.share),
                std::string(name), std::string(with[i].engine), std::to_string(point.departures),
                print_s(with_s), print_s(alone_s), print_s(point.overhead_s),
                fmt::format("{:.2f}", point.messages_each()),
                fmt::format("{:.2f}", setting.paper_s), agreement_.compare(with, i)});
    draw(setting, with[i], alone[i], name);
  }
}

void Mobility::draw(const Setting& setting, const Run& with, const Run& alone,
                    std::string_view name) {
  if (name != "grid") return;
  double x = 100 * setting.share;
  double overhead_s = with.steady.dho_s - alone.steady.dho_s;
  double off_s = std::hypot(with.steady_off.dho_s, alone.steady_off.dho_s);
  auto add = [&](const std::string& series, Whose whose, double seconds, double error_s) {
    overheads_.at(series, whose).points.push_back({x, seconds, error_s});
    slots_.at(series, whose)
        .points.push_back({x, seconds / setting.churners(), error_s / setting.churners()});
  };
  add(fmt::format("{} peers, {}", setting.peers, with.engine), Whose::ours, overhead_s, off_s);
  if (with.engine == "sim" || setup_.engines == Engines::simgrid)
    add(fmt::format("{} peers, paper", setting.peers), Whose::paper, setting.paper_s, 0);
}

void Mobility::judge(Findings& findings) const {
  bool linear = true;
  bool everybody_left = true;
  double most = -overhead_max;
  double most_s = 0;
  for (const auto& [where, points] : points_) {
    linear &= is_linear(points);
    for (const Point& point : points) {
      most = std::max(most, point.messages_each());
      most_s = std::max(most_s, point.overhead_s);
      everybody_left &= point.departures >= point.setting.churners();
    }
  }
  auto [least, largest] =
      std::minmax_element(std::begin(settings), std::end(settings),
                          [](const Setting& a, const Setting& b) { return a.paper_s < b.paper_s; });
  std::string paper_s = fmt::format("{:.2f} to {:.2f} s", least->paper_s, largest->paper_s);
  findings.claims = {
      {"Hernane 2015, section 7.3",
       "Peers that leave and come back cost the others next to nothing.",
       paper_s + ", 0.7 to 1.7% of a cycle",
       fmt::format("{:.2f} s at most: at most {:.2f} message times for each peer that leaves and "
                   "comes back; {:.0f} were allowed.",
                   most_s, most, overhead_max),
       judged(most <= overhead_max && everybody_left)},
      {"Hernane 2015, table 2", "The overhead in seconds.", paper_s + ", 0.166 s a peer within 15%",
       "Nothing in the text explains so much. The paper states neither the size of the data nor "
       "T_locked, T1 and T2: 50 MiB and 5 s give the cycle that its percentages imply; T1 and T2 "
       "are half a round of the queue each.",
       Verdict::not_comparable},
      {"Hernane 2015, table 2", "The overhead is linear in the number of these peers.",
       "within 15%",
       std::string("Linear within 10%, or a message time each: ") + (linear ? "yes." : "no."),
       judged(linear)},
  };
  if (most <= resolution)
    findings.remarks.emplace_back(
        "There is nothing to be seen of them: a request that is dropped is taken out of the queue "
        "at once, and the token passes nobody who will not enter. A place that is kept until the "
        "token has passed would cost one message time each. What is left on the grid, of either "
        "sign, is the order in which those who stay happen to queue.");
  if (auto remark = agreement_.remark()) findings.remarks.push_back(*remark);
}

Findings Mobility::findings() {
  table_.align_left(2);
  table_.align_left(3);
  for (const Setting& setting : settings) {
    if (setup_.scale == Scale::smoke && (setting.peers > 50 || setting.share == 0.33)) continue;
    if (setup_.engines != Engines::simgrid)
      measure_on(setting, "4.47 ms", sim::Uniform{}, Engines::sim);
    measure_on(setting, "grid", sim::Grid{}, setup_.engines);
  }
  Findings findings{
      fmt::format("{}, 50 MiB, T_locked = 5 s, 10 cycles each, steady state; {}. Seconds.\n"
                  "leaving: the share that runs listing 1 over and over; alone: the others "
                  "without them.\neach: overhead in message times for each peer that leaves and "
                  "comes back.",
                  peer_to_peer, print_seeds(setup_.seeds)),
      std::move(table_)};
  judge(findings);
  findings.figures = {std::move(overheads_), std::move(slots_)};
  return findings;
}

}  // namespace

Findings dho_mobility(const Setup& setup) { return Mobility(setup).findings(); }

}  // namespace conch::lab
