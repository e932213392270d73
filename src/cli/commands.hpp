// The subcommands of `conch`.
#pragma once

#include "program/program.hpp"

namespace conch::cli {

using program::Exit;
using program::Invocation;

void add_algorithms_command(CLI::App& app, Invocation& invocation);
void add_demo_command(CLI::App& app, Invocation& invocation);
void add_bench_command(CLI::App& app, Invocation& invocation);
void add_lock_command(CLI::App& app, Invocation& invocation);
void add_peer_command(CLI::App& app, Invocation& invocation);
void add_doctor_command(CLI::App& app, Invocation& invocation);
void add_status_command(CLI::App& app, Invocation& invocation);
void add_evict_command(CLI::App& app, Invocation& invocation);
void add_unlock_command(CLI::App& app, Invocation& invocation);
void add_trace_command(CLI::App& app, Invocation& invocation);

}  // namespace conch::cli
