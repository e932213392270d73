// Delivered messages a second of a saturated naimi-trehel, with the safety oracles on.
//
//   bench_sim            the table; instructions a message need valgrind
//   bench_sim run N R    one run, for valgrind
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "sim/simulation.hpp"

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
  options.channel = Channel::any;
  return options;
}

struct Rate {
  std::uint64_t messages = 0;
  double per_s = 0;
  std::size_t bytes_per_node = 0;
};

Rate measure(Node nodes, std::uint64_t requests) {
  auto begin = std::chrono::steady_clock::now();
  Result result = simulate(saturated(nodes, requests));
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (result.violation) {
    fmt::print(stderr, "bench_sim: {}\n", result.violation->what);
    std::exit(2);
  }
  return {result.delivered, static_cast<double>(result.delivered) / took.count(),
          result.bytes_per_node};
}

/// Instructions of one run under callgrind; nothing where valgrind is not installed.
std::optional<double> instructions(const std::string& self, Node nodes, std::uint64_t requests) {
  std::string command = fmt::format(
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null '{}' run {} {} 2>&1", self, nodes,
      requests);
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::optional<double> count;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    std::string text(line.data());
    auto place = text.find("Collected : ");
    if (place != std::string::npos) count = std::atof(text.c_str() + place + 12);
  }
  pclose(pipe);
  return count;
}

/// From two runs of different length, so that starting up does not count.
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

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "run") {
    measure(static_cast<Node>(std::atoi(argv[2])), std::strtoull(argv[3], nullptr, 10));
    return 0;
  }
  fmt::print("Saturated naimi-trehel, safety oracles on; the rate is the best of three runs.\n\n");
  fmt::print("{:>7} {:>12} {:>14} {:>14} {:>11}\n", "nodes", "messages", "messages/s",
             "instructions", "bytes/node");
  fmt::print("{:>7} {:>12} {:>14} {:>14} {:>11}\n", "", "", "", "per message", "");
  for (Node nodes : {100u, 1'000u, 10'000u}) {
    Rate best;
    for (int run = 0; run < 3; ++run) {
      Rate rate = measure(nodes, 1'000'000 / nodes);
      if (rate.per_s > best.per_s) best = rate;
    }
    fmt::print("{:>7} {:>12} {:>14.0f} {:>14} {:>11}\n", nodes, best.messages, best.per_s,
               instructions_per_message(argv[0], nodes), best.bytes_per_node);
    std::fflush(stdout);
  }
}
