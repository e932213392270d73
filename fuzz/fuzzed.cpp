#include <sstream>

#include "fuzz.hpp"

namespace conch {

std::vector<std::string> fuzz::fuzzed() {
  std::istringstream words(CONCH_FUZZED);
  std::vector<std::string> names;
  for (std::string name; words >> name;) names.push_back(name);
  return names;
}

}  // namespace conch
