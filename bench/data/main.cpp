// Measures blocks that travel with their lock, beside other ways to move bytes to the next process,
// in one run on this machine. See bench/README.md.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "machine.hpp"
#include "report.hpp"
#include "run.hpp"

namespace {

using namespace conch::bench;

void measure(const Plan& plan) {
  print_machine(Affinity());
  Result result = run(plan);
  print_handovers(result);
  if (result.overlap) print_overlap(*result.overlap);
  print_targets(result);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Conch's data beside raw streams, Redis and MPI.");
  Plan plan;
  bool quick = false;
  app.add_option("--sizes", plan.sizes, "Bytes of the blocks: 1KiB 1MiB 50MiB")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::size_t{8}, std::size_t{1} << 30));
  app.add_option("--rounds", plan.rounds, "Measurements a median is taken of")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--only", plan.only, "Ways that have this in their name");
  app.add_flag("--quick", quick, "One round, to see that it works");
  CLI11_PARSE(app, argc, argv);
  if (quick) plan.rounds = 1;
  try {
    catch_interrupts();
    measure(plan);
  } catch (const std::exception& error) {
    fmt::print(stderr, "\nbench_data: {}\n", error.what());
    return 1;
  }
}
