// A worker that is linked with this is a specimen: its peers do without the rule of recovery that
// $CHAOS_PLANT names.
#include <cstdlib>
#include <stdexcept>

#include "node/charter.hpp"

namespace conch {

namespace {

recovery::Rule rule_named(const char* name) {
  for (recovery::Rule rule : recovery::rules)
    if (name && word(rule) == name) return rule;
  throw std::runtime_error("$CHAOS_PLANT names no rule of recovery");
}

}  // namespace

recovery::Rule node::rule_left_out() {
  static const recovery::Rule rule = rule_named(std::getenv("CHAOS_PLANT"));
  return rule;
}

}  // namespace conch
