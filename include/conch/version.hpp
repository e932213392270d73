// The version of the library. Safe to call from any thread.
#pragma once

#include <string_view>

namespace conch {

/// `major.minor.patch`, of the library that is linked.
std::string_view version();

}  // namespace conch
