// Runs the command in a shell to its end.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace shell {

struct Outcome {
  int status = -1;
  std::string out;
};

/// Runs a shell command to its end. `out` is what it printed; redirect stderr to include it.
inline Outcome run(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  Outcome outcome;
  std::array<char, 4096> buffer{};
  for (std::size_t read = 0; (read = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    outcome.out.append(buffer.data(), read);
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

inline Outcome conch(const std::string& arguments) {
  return run(CONCH_COMMAND " " + arguments + " 2>&1");
}
inline Outcome conch_out(const std::string& arguments) {
  return run(CONCH_COMMAND " " + arguments + " 2>/dev/null");
}

inline void expect_refused(const std::string& arguments, const std::string& sentence) {
  Outcome outcome = conch(arguments);
  EXPECT_EQ(outcome.status, 1) << arguments;
  EXPECT_NE(outcome.out.find(sentence), std::string::npos) << arguments << "\n" << outcome.out;
}

}  // namespace shell
