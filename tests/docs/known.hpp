// Checks that everything exists that a page names without running it: commands and their options,
// files, tests.
#pragma once

#include <map>
#include <string>

#include "docs/session.hpp"

namespace conch::docs {

class KnownCommands {
 public:
  explicit KnownCommands(ShellSession& session) : session_(session) {}

  /// A complaint if `conch ...`, `./dev ...`, `build/dev/..._test ...`, `src/...` or `Suite.Test`
  /// does not exist; "" if it does, or if the text is none of these.
  std::string complaint(const std::string& text);

 private:
  std::string about_conch(const std::vector<std::string>& words);
  std::string about_dev(const std::vector<std::string>& words);
  std::string about_options(const std::vector<std::string>& words, const std::string& help);
  /// The output of the command, which runs once; "" if it fails.
  const std::string& output_of(const std::string& command);

  ShellSession& session_;
  std::map<std::string, std::string> outputs_;
};

}  // namespace conch::docs
