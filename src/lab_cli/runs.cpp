#include "lab_cli/runs.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace conch::lab_cli {

namespace {

std::atomic<bool> was_interrupted = false;

bool needs_quotes(const std::string& word) {
  return word.empty() || word.find_first_of(" \t'\"|&;<>()$`\\*?#~") != std::string::npos;
}

}  // namespace

Exit exit_for(const std::optional<sim::Violation>& violation) {
  if (!violation) return Exit::held;
  return sim::is_safety(violation->property) ? Exit::safety_broken : Exit::liveness_broken;
}

std::string command_without(const Invocation& invocation, const std::set<std::string>& options,
                            const std::set<std::string>& flags) {
  std::string command = "conch";
  bool skip = false;
  for (const std::string& argument : invocation.arguments) {
    if (std::exchange(skip, false)) continue;
    std::string name = argument.substr(0, argument.find('='));
    if (flags.contains(name)) continue;
    bool left_out = options.contains(name);
    skip = left_out && name == argument;
    if (left_out) continue;
    command += needs_quotes(argument) ? " '" + argument + "'" : " " + argument;
  }
  return command;
}

std::string repeat_command(const Invocation& invocation, std::uint64_t seed) {
  return command_without(invocation, {"--seeds", "--seed", "--threads", "--view-at", "--view-out"},
                         {"--json", "--view", "--view-open", "--view-insecure"}) +
         " --seed " + std::to_string(seed);
}

ProgressBar::ProgressBar(std::uint64_t total) : total_(total), shown_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (shown_) fmt::print(stderr, "\r{:<70}\r", "");
}

void ProgressBar::update(std::uint64_t done, std::uint64_t failures) const {
  constexpr std::uint64_t width = 30;
  if (!shown_) return;
  std::uint64_t filled = done * width / total_;
  fmt::print(stderr, "\r[{:<{}}] {}/{} runs, {} failed", std::string(filled, '='), width, done,
             total_, failures);
}

void add_threads_option(CLI::App& command, unsigned& threads, const std::string& group) {
  threads = std::max(1u, std::thread::hardware_concurrency());
  CLI::Option* option =
      command.add_option("--threads", threads, "Runs at a time (default: one per core)");
  option->check(CLI::Range(1u, 1024u));
  if (!group.empty()) option->group(group);
}

void watch_for_interrupts() {
  std::signal(SIGINT, [](int) { was_interrupted = true; });
}

bool interrupted() { return was_interrupted; }

Exit complain_of_interrupt(std::uint64_t done, std::uint64_t total, Exit exit) {
  if (!interrupted()) return exit;
  fmt::print(stderr, "interrupted: {} of {} runs done\n", done, total);
  return exit == Exit::held ? Exit::bad_usage : exit;
}

}  // namespace conch::lab_cli
