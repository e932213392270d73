// Saves the data of a group when it ends: one file per resource, in a folder of the group's state
// directory. A truncated or modified file is refused, never taken for data.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "peer/buffer.hpp"

namespace conch::peer {

/// Replaces what was saved before, atomically. Throws Error.
void save_data(const std::string& folder, std::string_view lock, std::span<const std::byte> bytes);
/// Throws Error if a later version of conch has saved data there, which would be overwritten
/// unread.
void expect_known_data(const std::string& folder);
/// The resources with saved data; none if there is no such folder. Skips files that are not saved
/// data.
std::vector<std::string> saved_locks(const std::string& folder);
/// Reads into the buffer, which it grows as needed; returns the number of bytes. Throws Error or
/// std::bad_alloc.
std::uint64_t load_data(const std::string& folder, std::string_view lock, Buffer& into);

void forget_data(const std::string& folder, std::string_view lock);

}  // namespace conch::peer
