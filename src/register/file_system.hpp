// Which file systems a register may be on.
//
// A death is seen, a change is told and a lease is timed on one machine. Where two machines can
// mount the same directory, each takes the other's peers for dead, and there are two holders. New
// kinds of such file systems appear; so those that are known to be local are listed, not the
// others.
#pragma once

#include <cstdint>
#include <string>

namespace conch::file {

/// `magic`: what statfs(2) says in f_type.
bool is_known_to_be_local(std::uint32_t magic);
/// For people: "NFS", or its number.
std::string file_system_name(std::uint32_t magic);
/// Why no register can be in this directory; empty if one can. `trusted`: the user knows better.
std::string objection_to_file_system(const std::string& directory, std::uint32_t magic,
                                     bool trusted);
/// The same of a directory that is to be made in this one.
std::string objection_to_file_system_at(const std::string& place, const std::string& directory);
/// Whether $CONCH_TRUST_FILE_SYSTEM is 1: on this machine no file system is objected to.
bool trusts_every_file_system();

}  // namespace conch::file
