#include "cli/commands.hpp"
namespace conch::cli { void add_bench_command(CLI::App&, Invocation&) {} }
