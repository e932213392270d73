// What a page names without its being run: commands and their options, files, tests. They must
// exist.
#pragma once

#include <map>
#include <string>

#include "docs/session.hpp"

namespace conch::docs {

class KnownCommands {
 public:
  explicit KnownCommands(Session& session) : session_(session) {}

  /// What there is not, of `conch ...`, `./dev ...`, `build/dev/..._test ...`, `src/...` or
  /// `Suite.Test`; "" if all is well, or it is something else.
  std::string complaint(const std::string& text);

 private:
  std::string about_conch(const std::vector<std::string>& words);
  std::string about_dev(const std::vector<std::string>& words);
  std::string about_options(const std::vector<std::string>& words, const std::string& help);
  /// What the command prints, once; "" if it fails.
  const std::string& output_of(const std::string& command);

  Session& session_;
  std::map<std::string, std::string> outputs_;
};

}  // namespace conch::docs
