// The subcommands of `conch-lab`.
#pragma once

#include "program/program.hpp"

namespace conch::lab_cli {

using program::Exit;
using program::Invocation;

void add_sim_command(CLI::App& app, Invocation& invocation);
void add_check_command(CLI::App& app, Invocation& invocation);
void add_lab_command(CLI::App& app, Invocation& invocation);
void add_playground_command(CLI::App& app, Invocation& invocation);
void add_replay_command(CLI::App& app, Invocation& invocation);
void add_view_command(CLI::App& app, Invocation& invocation);
void add_survive_command(CLI::App& app, Invocation& invocation);
void add_handover_command(CLI::App& app, Invocation& invocation);

}  // namespace conch::lab_cli
