#include "sim/protocol_rules.hpp"

#include <string>

#include "overlay/protocol_specimens.hpp"
#include "sim/distribution.hpp"

namespace conch::sim {

const Policy* policy_without(std::string_view name) {
  std::string names;
  for (const overlay::Rule& rule : overlay::protocol_rules()) {
    if (name == rule.name) return rule.without;
    names += (names.empty() ? "" : ", ") + std::string(rule.name);
  }
  throw BadText("\"" + std::string(name) + "\" is none of " + names);
}

}  // namespace conch::sim
