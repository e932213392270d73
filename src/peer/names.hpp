// What groups and clusters may be called. The checks throw Error with a sentence.
#pragma once

#include <string>
#include <string_view>

namespace conch::peer {

/// Instead of a label: the peers find out who is near.
inline constexpr std::string_view measured_cluster = "auto";

/// The group that is meant: what was given, $CONCH_GROUP, or "default".
std::string group_named(const std::string& given);

/// The label of a peer's cluster: what was given; or, for nothing and for `auto`, the host's name.
std::string cluster_named(const std::string& given);

/// A group's name is part of a path: 1 to 64 of a-z, A-Z, 0-9, '.', '_' and '-', no dot in front.
void check_group_name(std::string_view name);
/// See is_label in core/clusters.hpp.
void check_cluster_name(std::string_view name);

}  // namespace conch::peer
