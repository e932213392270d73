// The main program of `conch`, the lock.
#include <array>

#include "cli/commands.hpp"
#include "cli/laboratory.hpp"

namespace {

using namespace conch::cli;

constexpr auto commands = std::to_array<conch::program::Subcommand>({
    {"lock", add_lock_command},
    {"peer", add_peer_command},
    {"doctor", add_doctor_command},
    {"status", add_status_command},
    {"evict", add_evict_command},
    {"unlock", add_unlock_command},
    {"demo", add_demo_command},
    {"bench", add_bench_command},
    {"algorithms", add_algorithms_command},
    {"trace", add_trace_command},
});

}  // namespace

int main(int argc, char** argv) {
  if (is_for_laboratory(argv)) return run_laboratory(argv);
  return conch::program::run({.about = "Distributed mutual exclusion without a lock server.",
                              .commands = commands,
                              .add_elsewhere = add_laboratory_commands},
                             argc, argv);
}
