// Figure 7 and equation 4 of seed 003: how long a DHO cycle takes when everybody asks again at
// once, for data from a kibibyte to 100 MiB, over a tree of peers and over a server.
#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "lab/handover_runs.hpp"
#include "sim/distribution.hpp"

namespace conch::lab {

namespace {

using namespace sim::handover;
using namespace std::chrono_literals;
using sim::Node;

constexpr std::uint64_t kib = 1 << 10;
constexpr std::uint64_t mib = 1 << 20;
constexpr double tolerance = 0.01;

struct Setting {
  Node peers;
  std::uint64_t bytes;
  Duration locked;
};

std::vector<Setting> settings() {
  std::vector<Setting> list;
  for (Duration locked : {Duration(0s), Duration(1s)})
    for (std::uint64_t bytes : {kib, 100 * kib, mib, 10 * mib, 50 * mib, 100 * mib})
      list.push_back({50, bytes, locked});
  list.push_back({120, 50 * mib, 5s});
  return list;
}

Workload workload(const Setting& setting, std::string_view algorithm, const sim::Wires& wires) {
  Workload workload;
  workload.algorithm = algorithm;
  workload.peers = setting.peers;
  workload.bytes = setting.bytes;
  workload.locked = setting.locked;
  workload.wires = wires;
  return workload;
}

/// A slot of the queue: the bracket of equation 4.
double slot_s(const Setting& setting, const Times& times) {
  return sim::seconds(setting.locked) + times.fetch_s + times.handover_s;
}

/// The height of the tree that the requests have to climb.
int height(Node peers) { return static_cast<int>(std::bit_width(peers)) - 1; }

/// While a slot is so long that the tree has queued the next one before it ends.
bool applies(const Setting& setting, const Times& times, const sim::Wires& wires) {
  double latency_s = sim::seconds(mean_latency(wires, setting.peers));
  return sim::seconds(setting.locked) + times.fetch_s >=
         3 * (height(setting.peers) + 2) * latency_s;
}

/// The means to go by: of all cycles, where there is no steady state.
Times Run::*means(bool counts) { return counts ? &Run::steady : &Run::all; }

class Cycle {
 public:
  Cycle(const Seeds& seeds, Engines engines) : seeds_(seeds), engines_(engines) {}

  Findings findings();

 private:
  void measure_grid(const Setting& setting);
  void measure_uniform(const Setting& setting);
  void row(const Setting& setting, std::string_view wires, std::string_view engine,
           const Times& tree, const Times& server, const std::string& apart, bool counts);
  std::vector<std::string> remarks() const;

  Seeds seeds_;
  Engines engines_;
  Agreement agreement_;
  Table table_{{"data", "peers", "T_locked", "wires", "engine", "T_DHO", "/(n S)", "eq. 4",
                "client-server", "differ"}};
  double worst_ = 0;
  double shortest_queue_ = 1;
  double handovers_s_ = 0;
  double server_handovers_s_ = 0;
  double rows_ = 0;
};

void Cycle::row(const Setting& setting, std::string_view wires, std::string_view engine,
                const Times& tree, const Times& server, const std::string& apart, bool counts) {
  double ratio = tree.dho_s / (setting.peers * slot_s(setting, tree));
  bool is_exact = std::abs(ratio - 1) <= tolerance;
  if (counts) {
    worst_ = std::max(worst_, std::abs(ratio - 1));
    handovers_s_ += tree.handover_s;
    server_handovers_s_ += server.handover_s;
    ++rows_;
  } else {
    shortest_queue_ = std::min(shortest_queue_, ratio);
  }
  table_.row({print_bytes(setting.bytes), std::to_string(setting.peers),
              sim::print_duration(setting.locked), std::string(wires), std::string(engine),
              print_s(tree.dho_s), fmt::format("{:.4f}", ratio),
              !counts    ? "too short"
              : is_exact ? "holds"
                         : "FAILS",
              print_s(server.dho_s), apart});
}

void Cycle::measure_grid(const Setting& setting) {
  sim::Wires grid = sim::Grid{};
  std::vector<Run> tree = measure(workload(setting, peer_to_peer, grid), seeds_, engines_);
  std::vector<Run> server = measure(workload(setting, client_server, grid), seeds_, engines_);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    bool counts = applies(setting, tree[i].all, grid);
    agreement_.compare(server, i);  // seen, too
    row(setting, "grid", tree[i].engine, tree[i].*means(counts), server[i].steady,
        agreement_.compare(tree, i, means(counts)), counts);
  }
}

/// With one latency everywhere S is known beforehand; nothing of it is measured.
void Cycle::measure_uniform(const Setting& setting) {
  if (engines_ == Engines::simgrid) return;
  sim::Uniform wires;
  Run tree = measure(workload(setting, peer_to_peer, wires), {1, 1}, Engines::sim).front();
  Run server = measure(workload(setting, client_server, wires), {1, 1}, Engines::sim).front();
  bool counts = applies(setting, tree.all, wires);
  Times times = tree.*means(counts);
  std::uint64_t message_bytes = Workload{}.message_bytes;
  times.handover_s = sim::seconds(journey(wires, 0, 1, message_bytes));
  times.fetch_s =
      times.handover_s + sim::seconds(journey(wires, 0, 1, message_bytes + setting.bytes));
  row(setting, "4.47 ms", tree.engine, times, server.steady, "", counts);
}

std::vector<std::string> Cycle::remarks() const {
  double factor = sim::Grid{}.latency_factor;
  double eta_us = 1e6 * handovers_s_ / rows_ / factor;
  std::vector<std::string> list{
      judged("T_DHO = (T_locked + T_fetch + alpha eta)(q + 1) (equation 4)", worst_ <= tolerance,
             fmt::format("With q + 1 = n it is off by {:.2f}% at most, where a slot is at least "
                         "3 (d + 2) message times long; d is the height of the tree.",
                         100 * worst_)),
      judged("q was significantly reduced.", shortest_queue_ < 0.9,
             fmt::format("But only where a slot is shorter than the tree takes to queue the next "
                         "one: down to q + 1 = {:.2f} n. Whoever has just let go is the root then, "
                         "and enters again before anybody else has got there.",
                         shortest_queue_)),
      judged(
          "eta is approximately 430 us", std::abs(eta_us - 430) < 43,
          fmt::format("The lock is handed over in {:.0f} us times alpha = 10.4: one message over "
                      "the mean route of three sites.",
                      eta_us)),
      judged("and has been approximately 70 us in the client-server paradigm.", false,
             fmt::format("It is {:.0f} us here, because a server needs two messages where a token "
                         "is one: a cycle is longer by a message for each peer.",
                         1e6 * server_handovers_s_ / rows_ / factor)),
  };
  if (auto remark = agreement_.remark()) list.push_back(*remark);
  return list;
}

Findings Cycle::findings() {
  table_.align_left(3);
  table_.align_left(4);
  table_.group("", 5);
  table_.group("peer-to-peer", 3);
  for (const Setting& setting : settings()) {
    measure_uniform(setting);
    measure_grid(setting);
  }
  return {
      fmt::format("Everybody asks again at once (T_idle = T_Wblocked = 0), 20 cycles each; {}. "
                  "Peer-to-peer is\n{}, client-server {}. Seconds; means of the steady state, or "
                  "of all cycles where there is\nnone (\"too short\"). S = T_locked + T_fetch + "
                  "one message: computed for wires of 4.47 ms; on the\ngrid, where routes "
                  "differ, with the run's own mean fetch and handover.",
                  print_seeds(seeds_), peer_to_peer, client_server),
      std::move(table_), remarks()};
}

}  // namespace

Findings dho_cycle(const Seeds& seeds, Engines engines) { return Cycle(seeds, engines).findings(); }

}  // namespace conch::lab
