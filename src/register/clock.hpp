// The clock of leases: it goes on while the machine sleeps, nobody can set it, and all processes of
// the machine have the same. It begins anew with every boot.
#pragma once

#include <string>

#include "core/types.hpp"

namespace conch::file {

/// Since the machine was booted.
Duration since_boot();
/// Which boot.
const std::string& boot();
/// Equal for processes whose `since_boot` can be compared: of one boot, and of one time namespace.
std::string clock_name();

}  // namespace conch::file
