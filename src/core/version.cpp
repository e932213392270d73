#include <conch/version.hpp>

namespace conch {

std::string_view version() { return CONCH_VERSION; }

}  // namespace conch
