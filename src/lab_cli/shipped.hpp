// The scenarios that are compiled into this program: those of tests/scenarios/, which include the
// papers' figures.
#pragma once

#include <span>
#include <string_view>

namespace conch::lab_cli {

struct Shipped {
  /// The name of its file, without the extension.
  std::string_view name;
  std::string_view script;
};

/// Ordered by name. cmake/scenarios.cmake generates the definition.
std::span<const Shipped> shipped_scenarios();

}  // namespace conch::lab_cli
