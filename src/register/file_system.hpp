// Decides which file systems may hold a register.
//
// Deaths, changes and lease times are only visible within one machine. If two machines mounted the
// same directory, each would take the other's peers for dead, and there would be two holders. New
// network file systems keep appearing, so this is a list of those known to be local, not of the
// others.
#pragma once

#include <cstdint>
#include <string>

namespace conch::file {

/// `magic` is f_type of statfs(2).
bool is_known_to_be_local(std::uint32_t magic);
/// A name for messages, such as "NFS", or the number if it is unknown.
std::string file_system_name(std::uint32_t magic);
/// Says why this directory cannot hold a register; empty if it can. `trusted`: the user has vouched
/// for the file system.
std::string objection_to_file_system(const std::string& directory, std::uint32_t magic,
                                     bool trusted);
/// The same for `directory`, which is to be created in `place`.
std::string objection_to_file_system_at(const std::string& place, const std::string& directory);
/// Whether $CONCH_TRUST_FILE_SYSTEM is 1: then every file system is accepted.
bool trusts_every_file_system();

}  // namespace conch::file
