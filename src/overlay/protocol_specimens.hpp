// The corrections of docs/corrections.md, each with how a protocol decides without it.
#pragma once

#include <span>
#include <string_view>

#include "core/tuning.hpp"

namespace conch::overlay {

struct Rule {
  /// For example `vote-life`.
  std::string_view name;
  const Policy* without;
};
std::span<const Rule> protocol_rules();

}  // namespace conch::overlay
