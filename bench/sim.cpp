// Measures delivered messages per second of a saturated naimi-trehel with the safety oracles on.
// For comparison, measures as many bare messages between as many actors of SimGrid.
//
//   bench_sim                  prints the tables; instructions per message need valgrind
//   bench_sim run N R          one run, for valgrind
//   bench_sim simgrid N M [F]  one run of SimGrid: N actors, M messages, F in flight or all in step
//
// Rates are by processor time: nothing waits, and other programs do not count.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

#include "sim/simulation.hpp"
#include "simgrid_messages.hpp"

namespace {

using namespace conch::sim;
using namespace std::chrono_literals;

Options saturated(Node nodes, std::uint64_t requests) {
  Options options;
  options.algorithm = "naimi-trehel";
  options.clusters = {nodes};
  options.requests = requests;
  options.think = Distribution::constant(0ns);
  options.hold = Distribution::constant(1ms);
  options.channel = ChannelOrder::any;
  return options;
}

struct Rate {
  std::uint64_t messages = 0;
  double per_s = 0;
  std::size_t bytes_per_node = 0;
  double in_flight = 0;
};

Rate measure(Node nodes, std::uint64_t requests) {
  std::clock_t begin = std::clock();
  Result result = simulate(saturated(nodes, requests));
  double took_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (result.violation) {
    fmt::print(stderr, "bench_sim: {}\n", result.violation->what);
    std::exit(2);
  }
  auto delivered = static_cast<double>(result.delivered);
  double latency_s = conch::seconds_of(saturated(nodes, requests).local_latency.mean());
  return {result.delivered, delivered / took_s, result.bytes_per_node,
          delivered * latency_s / conch::seconds_of(result.ended.time_since_epoch())};
}

/// Calls f with every line that the command prints.
template <class F>
void each_line(const std::string& command, F&& f) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) f(std::string(line.data()));
  pclose(pipe);
}

/// The instructions of one run under callgrind; empty if valgrind is not installed.
std::optional<double> instructions(const std::string& self, Node nodes, std::uint64_t requests) {
  std::string command =
      fmt::format("valgrind --tool=callgrind --callgrind-out-file=/dev/null '{}' run {} {} 2>&1",
                  self, nodes, requests);
  std::optional<double> count;
  each_line(command, [&](const std::string& text) {
    auto place = text.find("Collected : ");
    if (place != std::string::npos) count = std::atof(text.c_str() + place + 12);
  });
  return count;
}

/// Compares two runs of different length, so that the start does not count.
std::string instructions_per_message(const std::string& self, Node nodes) {
  std::uint64_t shorter = std::max<std::uint64_t>(2, 20'000 / nodes);
  std::uint64_t longer = 3 * shorter;
  auto few = instructions(self, nodes, shorter);
  auto many = instructions(self, nodes, longer);
  if (!few || !many) return "needs valgrind";
  auto messages = [&](std::uint64_t requests) {
    return static_cast<double>(measure(nodes, requests).messages);
  };
  return fmt::format("{:.0f}", (*many - *few) / (messages(longer) - messages(shorter)));
}

constexpr int runs = 3;

Rate best_rate(Node nodes, std::uint64_t requests) {
  Rate best;
  for (int run = 0; run < runs; ++run) {
    Rate rate = measure(nodes, requests);
    if (rate.per_s > best.per_s) best = rate;
  }
  return best;
}

double rate_of_simgrid(const std::string& self, const std::string& arguments) {
  double per_s = 0;
  each_line(fmt::format("'{}' simgrid {}", self, arguments),
            [&](const std::string& text) { per_s = std::atof(text.c_str()); });
  return per_s;
}

void print_rates(const std::string& self) {
  fmt::print("Saturated naimi-trehel, safety oracles on; the rate is the best of {} runs.\n\n",
             runs);
  fmt::print("{:>7} {:>12} {:>14} {:>14} {:>11}\n", "nodes", "messages", "messages/s",
             "instructions", "bytes/node");
  fmt::print("{:>7} {:>12} {:>14} {:>14} {:>11}\n", "", "", "", "per message", "");
  for (Node nodes : {100u, 1'000u, 10'000u}) {
    Rate best = best_rate(nodes, 1'000'000 / nodes);
    fmt::print("{:>7} {:>12} {:>14.0f} {:>14} {:>11}\n", nodes, best.messages, best.per_s,
               instructions_per_message(self, nodes), best.bytes_per_node);
    std::fflush(stdout);
  }
}

/// Measures in turns, so that a disturbance of the machine affects all alike.
void print_comparison(const std::string& self) {
  constexpr Node nodes = 1'000;
  Rate ours;
  double in_step = 0;
  double everybody = 0;
  double few = 0;
  for (int run = 0; run < runs; ++run) {
    Rate rate = measure(nodes, 250'000 / nodes);
    if (rate.per_s > ours.per_s) ours = rate;
    std::string same = fmt::format("{} {}", nodes, rate.messages);
    in_step = std::max(in_step, rate_of_simgrid(self, same));
    everybody = std::max(everybody, rate_of_simgrid(self, fmt::format("{} {}", same, nodes)));
    few = std::max(few, rate_of_simgrid(self, fmt::format("{} {:.0f}", same, rate.in_flight)));
  }
  auto row = [&](const std::string& what, double per_s) {
    fmt::print("{:<42} {:>14.0f} {:>11.1f}\n", what, per_s, ours.per_s / per_s);
  };
  fmt::print("\n{} messages between {} nodes, and of 64 bytes between actors of SimGrid:\n\n",
             ours.messages, nodes);
  fmt::print("{:<42} {:>14} {:>11}\n", "", "messages/s", "ratio");
  row("ours", ours.per_s);
  row("SimGrid, every actor active", everybody);
  row("SimGrid, every actor at the same moment", in_step);
  row(fmt::format("SimGrid, {:.0f} in flight, as ours", ours.in_flight), few);
}

}  // namespace

int main(int argc, char** argv) {
  auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  std::string what = argc > 1 ? argv[1] : "";
  if (what == "run" && argc == 4) {
    measure(static_cast<Node>(number(2)), number(3));
  } else if (what == "simgrid" && argc == 4) {
    fmt::print("{}\n", simgrid_rate_in_step(static_cast<Node>(number(2)), number(3)));
  } else if (what == "simgrid" && argc == 5) {
    fmt::print("{}\n",
               simgrid_rate(static_cast<Node>(number(2)), number(3), static_cast<Node>(number(4))));
  } else {
    print_rates(argv[0]);
    print_comparison(argv[0]);
  }
}
