// The scenarios that are in this program: those of tests/scenarios/, the papers' figures among
// them.
#pragma once

#include <span>
#include <string_view>

namespace conch::lab_cli {

struct Shipped {
  /// That of its file, without the ending.
  std::string_view name;
  std::string_view script;
};

/// In the order of their names. CMake writes what this returns: cmake/scenarios.cmake.
std::span<const Shipped> shipped_scenarios();

}  // namespace conch::lab_cli
