// The version of the library. Safe to call from any thread.
#pragma once

#include <conch/export.hpp>
#include <string_view>

namespace conch {

/// `major.minor.patch`, of the library that is linked.
CONCH_API std::string_view version();

}  // namespace conch
