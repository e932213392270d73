// Figure 7 and equation 4 of Hernane 2015: the length of a DHO cycle when every peer asks again at
// once, for data from 1 KiB to 100 MiB, over a tree of peers and over a server.
#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <map>

#include "lab/handover_runs.hpp"
#include "sim/distribution.hpp"

namespace conch::lab {

namespace {

using namespace sim::handover;
using namespace std::chrono_literals;
using sim::Node;

constexpr double mib = 1 << 20;
constexpr double tolerance = 0.01;

/// A point of the figure.
struct Point {
  Node peers;
  std::uint64_t bytes;
  Duration locked;
  std::uint64_t cycles;
};

/// The constants that the paper found by regression: eta with peers and with a server, and alpha.
constexpr double paper_eta_us = 430, paper_server_eta_us = 70, paper_alpha = 10.4;

std::vector<Point> points(const Setup& setup) {
  std::vector<Point> list;
  for (double locked_s : setup.numbers<double>("locked"))
    for (auto bytes : setup.numbers<std::uint64_t>("data"))
      list.push_back(
          {setup.number<Node>("peers"), bytes, from_s(locked_s), setup.number("cycles")});
  return list;
}

Workload workload(const Point& point, std::string_view algorithm, const sim::Wires& wires) {
  Workload workload;
  workload.algorithm = algorithm;
  workload.peers = point.peers;
  workload.bytes = point.bytes;
  workload.locked = point.locked;
  workload.cycles = point.cycles;
  workload.wires = wires;
  return workload;
}

/// A slot of the queue: the bracket in equation 4.
double slot_s(const Point& point, const Times& times) {
  return seconds_of(point.locked) + times.fetch_s + times.handover_s;
}

/// The height of the tree that a request climbs.
int height(Node peers) { return static_cast<int>(std::bit_width(peers)) - 1; }

/// Equation 4 applies if a slot is long enough for the tree to queue the next request before it
/// ends.
bool applies(const Point& point, const Times& times, const sim::Wires& wires) {
  double latency_s = seconds_of(mean_latency(wires, point.peers));
  return seconds_of(point.locked) + times.fetch_s >= 3 * (height(point.peers) + 2) * latency_s;
}

/// The means to use: of the steady state if there is one, else of all cycles.
Times HandoverRun::*means(bool counts) { return counts ? &HandoverRun::steady : &HandoverRun::all; }
Times HandoverRun::*deviations(bool counts) {
  return counts ? &HandoverRun::steady_off : &HandoverRun::all_off;
}

/// With one latency everywhere, these times are known and need not be measured.
Times computed(const Point& point, const sim::Uniform& wires) {
  Times times;
  std::uint64_t message_bytes = Workload{}.message_bytes;
  times.handover_s = seconds_of(journey(wires, 0, 1, message_bytes));
  times.fetch_s = times.handover_s + seconds_of(journey(wires, 0, 1, message_bytes + point.bytes));
  return times;
}

class Cycle {
 public:
  explicit Cycle(const Setup& setup) : setup_(setup) {}

  ExperimentResult findings();

 private:
  void measure_grid(const Point& point);
  void measure_uniform(const Point& point);
  void row(const Point& point, std::string_view wires, std::string_view engine, const Times& tree,
           const Times& server, const std::string& apart, bool counts);
  void draw(const Point& point, const HandoverRun& tree, const HandoverRun& server, bool counts);
  void draw_equation(const Point& point);
  std::vector<PaperClaim> claims() const;

  Setup setup_;
  CycleTimeComparison agreement_;
  Table table_{{"data", "peers", "T_locked", "wires", "engine", "T_DHO", "/(n S)", "eq. 4",
                "client-server", "differ"}};
  double worst_ = 0;
  double shortest_queue_ = 1;
  double handovers_s_ = 0;
  double server_handovers_s_ = 0;
  double rows_ = 0;
  /// Figures of the cycle time, by T_locked.
  std::map<Duration, Figure> cycles_;
  Figure ratios_{"Cycle time in slots of equation 4, for each peer",
                 "Hernane 2015, equation 4",
                 Shape::lines,
                 {"size of the data", "MiB", Spacing::log},
                 {"T_DHO / (n S)"}};
};

void Cycle::row(const Point& point, std::string_view wires, std::string_view engine,
                const Times& tree, const Times& server, const std::string& apart, bool counts) {
  double ratio = tree.dho_s / (point.peers * slot_s(point, tree));
  bool is_exact = std::abs(ratio - 1) <= tolerance;
  if (counts) {
    worst_ = std::max(worst_, std::abs(ratio - 1));
    handovers_s_ += tree.handover_s;
    server_handovers_s_ += server.handover_s;
    ++rows_;
  } else {
    shortest_queue_ = std::min(shortest_queue_, ratio);
  }
  table_.row({print_bytes(point.bytes), std::to_string(point.peers), print_duration(point.locked),
              std::string(wires), std::string(engine), print_s(tree.dho_s),
              fmt::format("{:.4f}", ratio),
              !counts    ? "too short"
              : is_exact ? "holds"
                         : "FAILS",
              print_s(server.dho_s), apart});
}

void Cycle::measure_grid(const Point& point) {
  sim::Wires grid = sim::Grid{};
  std::vector<HandoverRun> tree =
      measure(workload(point, peer_to_peer, grid), setup_.seeds, setup_.engines);
  std::vector<HandoverRun> server =
      measure(workload(point, client_server, grid), setup_.seeds, setup_.engines);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    bool counts = applies(point, tree[i].all, grid);
    agreement_.compare(server, i);  // for the remark only
    row(point, "grid", tree[i].engine, tree[i].*means(counts), server[i].steady,
        agreement_.compare(tree, i, means(counts)), counts);
    draw(point, tree[i], server[i], counts);
  }
}

/// With one latency everywhere S is known beforehand; no part of it is measured.
void Cycle::measure_uniform(const Point& point) {
  if (setup_.engines == Engines::simgrid) return;
  sim::Uniform wires;
  HandoverRun tree = measure(workload(point, peer_to_peer, wires), {1, 1}, Engines::sim).front();
  HandoverRun server = measure(workload(point, client_server, wires), {1, 1}, Engines::sim).front();
  bool counts = applies(point, tree.all, wires);
  Times times = tree.*means(counts);
  Times known = computed(point, wires);
  times.handover_s = known.handover_s;
  times.fetch_s = known.fetch_s;
  row(point, "4.47 ms", tree.engine, times, server.steady, "", counts);
}

double mebibytes(const Point& point) { return static_cast<double>(point.bytes) / mib; }

void Cycle::draw(const Point& point, const HandoverRun& tree, const HandoverRun& server,
                 bool counts) {
  auto [entry, is_new] = cycles_.try_emplace(
      point.locked,
      Figure{fmt::format("Cycle time of {} peers that ask again at once, T_locked = {}",
                         point.peers, print_duration(point.locked)),
             "Hernane 2015, figure 7",
             Shape::lines,
             {"size of the data", "MiB", Spacing::log},
             {"T_DHO", "s", Spacing::log}});
  Figure& figure = entry->second;
  double x = mebibytes(point);
  const Times &times = tree.*means(counts), &off = tree.*deviations(counts);
  figure.at(fmt::format("peer-to-peer, {}", tree.engine))
      .points.push_back({x, times.dho_s, off.dho_s});
  figure.at(fmt::format("client-server, {}", server.engine))
      .points.push_back({x, server.steady.dho_s, server.steady_off.dho_s});
  double slots_s = point.peers * slot_s(point, times);
  ratios_.at(fmt::format("T_locked = {}, {}", print_duration(point.locked), tree.engine))
      .points.push_back({x, times.dho_s / slots_s, off.dho_s / slots_s});
}

/// Draws equation 4 with the paper's eta, assuming that every peer waits. The paper does not say
/// so: it gives no numbers for figure 7, and none for q.
void Cycle::draw_equation(const Point& point) {
  Figure& figure = cycles_.at(point.locked);
  auto cycle_s = [&](double eta_us) {
    double fetch_s = computed(point, sim::Uniform{}).fetch_s;
    return point.peers * (seconds_of(point.locked) + fetch_s + paper_alpha * eta_us / 1e6);
  };
  double x = mebibytes(point);
  figure.at("equation 4, q + 1 = n, eta 430 us", Whose::reference)
      .points.push_back({x, cycle_s(paper_eta_us)});
  figure.at("equation 4, q + 1 = n, eta 70 us", Whose::reference)
      .points.push_back({x, cycle_s(paper_server_eta_us)});
  Series& one = ratios_.at("equation 4, q + 1 = n", Whose::reference);
  if (point.locked == Duration(0)) one.points.push_back({x, 1});
}

std::vector<PaperClaim> Cycle::claims() const {
  double factor = sim::Grid{}.latency_factor;
  double eta_us = 1e6 * handovers_s_ / rows_ / factor;
  std::vector<PaperClaim> claims{
      {"Hernane 2015, equation 4",
       "A cycle is a slot for each of the q + 1 in the queue: T_DHO = "
       "(T_locked + T_fetch + alpha eta)(q + 1).",
       "found by regression",
       fmt::format("With q + 1 = n it is off by {:.2f}% at most, where a slot is at least "
                   "3 (d + 2) message times long; d is the height of the tree.",
                   100 * worst_),
       judged(worst_ <= tolerance)},
      {"Hernane 2015, section 7.1", "Fewer wait in the queue than with a server.",
       "significantly fewer",
       fmt::format("But only where a slot is shorter than the tree takes to queue the next "
                   "one: down to q + 1 = {:.2f} n. Whoever has just let go is the root then, "
                   "and enters again before anybody else has got there.",
                   shortest_queue_),
       shortest_queue_ < 0.9 ? ClaimVerdict::in_part : ClaimVerdict::does_not_hold},
      {"Hernane 2015, equation 4", "What a handover costs between neighbours, eta.",
       fmt::format("about {:.0f} us", paper_eta_us),
       fmt::format("{:.0f} us, times alpha = {}: one message over the mean route of three sites.",
                   eta_us, paper_alpha),
       judged(std::abs(eta_us - paper_eta_us) < 0.1 * paper_eta_us)},
      {"Hernane 2015, section 7.1", "With a server eta is less.",
       fmt::format("about {:.0f} us", paper_server_eta_us),
       fmt::format("{:.0f} us, because a server needs two messages where a token is one: a cycle "
                   "is longer by a message for each peer.",
                   1e6 * server_handovers_s_ / rows_ / factor),
       judged(server_handovers_s_ < handovers_s_)},
  };
  if (rows_ > 0) return claims;
  for (std::size_t i : {0u, 2u, 3u}) {
    claims[i].ours = "No slot here is long enough: longer T_locked or larger data make one.";
    claims[i].verdict = ClaimVerdict::not_comparable;
  }
  return claims;
}

ExperimentResult Cycle::findings() {
  table_.align_left(3);
  table_.align_left(4);
  table_.group("", 5);
  table_.group("peer-to-peer", 3);
  for (const Point& point : points(setup_)) {
    measure_uniform(point);
    measure_grid(point);
    draw_equation(point);
  }
  ExperimentResult findings{
      fmt::format("Everybody asks again at once (T_idle = T_Wblocked = 0), {} cycles each. "
                  "Peer-to-peer is\n{}, client-server {}. Seconds; means of the steady state, or "
                  "of all cycles where there is\nnone (\"too short\"). S = T_locked + T_fetch + "
                  "one message: computed for wires of 4.47 ms; on the\ngrid, where routes "
                  "differ, with the run's own mean fetch and handover.",
                  setup_.number("cycles"), peer_to_peer, client_server),
      std::move(table_)};
  findings.claims = claims();
  if (auto remark = agreement_.remark()) findings.remarks.push_back(*remark);
  for (auto& [locked, figure] : cycles_) findings.figures.push_back(std::move(figure));
  findings.figures.push_back(std::move(ratios_));
  return findings;
}

}  // namespace

ExperimentResult dho_cycle(const Setup& setup) { return Cycle(setup).findings(); }

}  // namespace conch::lab
