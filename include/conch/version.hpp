// The version of the library. Any thread may ask.
#pragma once

#include <conch/export.hpp>
#include <string_view>

namespace conch {

/// `major.minor.patch` of the linked library.
CONCH_API std::string_view version();

}  // namespace conch
