// The names of groups and clusters, and checks that throw Error with a sentence.
#pragma once

#include <string>
#include <string_view>

namespace conch::peer {

/// The value that asks the peers to measure who is near, instead of giving a label.
inline constexpr std::string_view measured_cluster = "auto";

/// The group to use: `given`, else $CONCH_GROUP, else "default".
std::string group_named(const std::string& given);

/// The cluster label to start with: `given`; the host name if that is empty or `auto`.
std::string cluster_named(const std::string& given);

/// Checks a group's name, which is part of a path: 1 to 64 of a-z, A-Z, 0-9, '.', '_' and '-', and
/// no dot in front.
void check_group_name(std::string_view name);
/// Checks a cluster's label; see is_label in core/clusters.hpp.
void check_cluster_name(std::string_view name);

}  // namespace conch::peer
