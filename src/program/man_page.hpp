// A command's man page, from its description: man(7).
#pragma once

#include <string>

#include "program/command_words.hpp"

namespace conch::program {

struct ManDetails {
  /// As in 0.1.0.
  std::string version;
  /// As in 2026-01-02.
  std::string date;
};

/// Of a program, all that it can do; of a command, its options and those of the commands below it.
std::string man_page(const CommandWords& command, const ManDetails& details);

/// Today, or the day of $SOURCE_DATE_EPOCH, so that a build can be repeated to the byte.
std::string man_date();

}  // namespace conch::program
