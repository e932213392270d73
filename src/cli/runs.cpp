#include "cli/runs.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace conch::cli {

namespace {

std::atomic<bool> interrupted = false;

bool needs_quotes(const std::string& word) {
  return word.empty() || word.find_first_of(" \t'\"|&;<>()$`\\*?#~") != std::string::npos;
}

}  // namespace

std::string repeat_command(const Invocation& invocation, std::uint64_t seed) {
  std::string command = "conch";
  bool skip = false;
  for (const std::string& argument : invocation.arguments) {
    if (std::exchange(skip, false)) continue;
    bool seeds = argument == "--seeds" || argument == "--seed";
    if (seeds) skip = true;
    if (seeds || argument.starts_with("--seeds=") || argument.starts_with("--seed=")) continue;
    if (argument == "--json") continue;
    command += needs_quotes(argument) ? " '" + argument + "'" : " " + argument;
  }
  return command + " --seed " + std::to_string(seed);
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

const std::atomic<bool>& interrupted_by_user() {
  std::signal(SIGINT, [](int) { interrupted = true; });
  return interrupted;
}

}  // namespace conch::cli
