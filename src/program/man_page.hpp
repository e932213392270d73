// Generates a man page from the description of a command; see man(7).
#pragma once

#include <string>

#include "program/command_words.hpp"

namespace conch::program {

struct ManDetails {
  /// Such as 0.1.0.
  std::string version;
  /// Such as 2026-01-02.
  std::string date;
};

/// The page of a program lists its commands; the page of a command includes the commands below it.
std::string man_page(const CommandWords& command, const ManDetails& details);

/// Today, or the day of $SOURCE_DATE_EPOCH, so that builds are reproducible.
std::string man_date();

}  // namespace conch::program
