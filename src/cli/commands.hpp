// The subcommands of `conch`. Each adds itself to the application and leaves its exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace conch::cli {

/// What a command ends with.
enum class Exit : int {
  held = 0,
  bad_usage = 1,
  /// As diff says it.
  differs = 1,
  safety_broken = 2,
  liveness_broken = 3
};

/// The command line as it was given, for printing the command that repeats a run.
struct Invocation {
  std::vector<std::string> arguments;
  Exit exit = Exit::held;
};

void add_algorithms_command(CLI::App& app, Invocation& invocation);
void add_sim_command(CLI::App& app, Invocation& invocation);
void add_check_command(CLI::App& app, Invocation& invocation);
void add_lab_command(CLI::App& app, Invocation& invocation);
void add_demo_command(CLI::App& app, Invocation& invocation);
void add_bench_command(CLI::App& app, Invocation& invocation);
void add_lock_command(CLI::App& app, Invocation& invocation);
void add_peer_command(CLI::App& app, Invocation& invocation);
void add_doctor_command(CLI::App& app, Invocation& invocation);
void add_status_command(CLI::App& app, Invocation& invocation);
void add_evict_command(CLI::App& app, Invocation& invocation);
void add_unlock_command(CLI::App& app, Invocation& invocation);
void add_playground_command(CLI::App& app, Invocation& invocation);
void add_replay_command(CLI::App& app, Invocation& invocation);
void add_view_command(CLI::App& app, Invocation& invocation);
void add_trace_command(CLI::App& app, Invocation& invocation);
void add_survive_command(CLI::App& app, Invocation& invocation);
void add_handover_command(CLI::App& app, Invocation& invocation);

}  // namespace conch::cli
