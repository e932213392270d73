// Commands that a page names without their being run: there must be such commands and options.
#pragma once

#include <map>
#include <string>

#include "docs/session.hpp"

namespace conch::docs {

class KnownCommands {
 public:
  explicit KnownCommands(Session& session) : session_(session) {}

  /// What there is not, of `conch ...`, `./dev ...` or `build/dev/..._test ...`; "" if all is well.
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
