// The data of a group that has ended, in files: one for each resource, in a folder of the group's
// state directory. A file that is cut short or changed is refused, never taken for data.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "peer/buffer.hpp"

namespace conch::peer {

/// In place of what was saved before, at once or not at all. Throws Error.
void save_data(const std::string& folder, std::string_view lock, std::span<const std::byte> bytes);
/// Throws Error if a later version of conch has saved some: it would be overwritten unread.
void expect_known_data(const std::string& folder);
/// The resources that have been saved; none if there is no such folder. What is no saved data is
/// left alone.
std::vector<std::string> saved_locks(const std::string& folder);
/// Into the buffer, which is given the space; how many bytes. Throws Error, std::bad_alloc.
std::uint64_t load_data(const std::string& folder, std::string_view lock, Buffer& into);

void forget_data(const std::string& folder, std::string_view lock);

}  // namespace conch::peer
