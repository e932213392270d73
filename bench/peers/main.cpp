// Measures the locks of Conch beside others, in one run on this machine. See bench/README.md.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "machine.hpp"
#include "report.hpp"
#include "run.hpp"

namespace {

using namespace conch::bench;

void measure(const Plan& plan, bool json) {
  Affinity affinity;
  if (!json) print_machine(affinity);
  Result result = run(plan, affinity);
  if (json) {
    print_json(result);
    return;
  }
  print_tables(result);
  print_targets(result);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Locks of Conch beside those of Redis, ZooKeeper, etcd and a minimal server.");
  Plan plan;
  bool quick = false;
  bool json = false;
  app.add_option("--seconds", plan.seconds, "How long each of the measurements takes")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--rounds", plan.rounds, "Measurements a median is taken of")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--only", plan.only, "Contenders that have this in their name");
  app.add_flag("--quick", quick, "One short round, to see that it works");
  app.add_flag("--json", json, "Print JSON");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    plan.seconds = 0.2;
    plan.rounds = 1;
  }
  try {
    catch_interrupts();
    measure(plan, json);
  } catch (const std::exception& error) {
    fmt::print(stderr, "\nbench_peers: {}\n", error.what());
    return 1;
  }
}
