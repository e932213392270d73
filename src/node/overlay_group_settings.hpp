// The settings that all peers of a group without a register agree on. The handshake carries them in
// the place of the algorithm's name. So a peer that disagrees is refused before anything is said,
// and a stranger that asks who is there learns all that it needs to join.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "core/types.hpp"

namespace conch::node {

/// The lease of a group whose founder gives none.
inline constexpr std::chrono::milliseconds default_lease = std::chrono::seconds(5);

struct OverlayGroupSettings {
  std::string algorithm;
  std::string dht = "pastry";
  unsigned replicas = 5;
  Duration lease = default_lease;
  friend bool operator==(const OverlayGroupSettings&, const OverlayGroupSettings&) = default;
};

/// The limit of locks with leases: each replica needs timers of its own (overlay/replicas.hpp).
inline constexpr unsigned replicas_max = 36;

/// For example `end-to-end/pastry/5/5000ms`.
std::string text_of(const OverlayGroupSettings& overlay_settings);
/// Empty if the text is malformed, or names an algorithm that needs a register.
std::optional<OverlayGroupSettings> parse_overlay_settings(std::string_view text);

/// The entry of an algorithm that finds its replicas by an overlay; null for any other name.
const CatalogEntry* find_routed(std::string_view algorithm);

/// The settings that a peer was given; the others are the group's.
struct Insistence {
  std::string algorithm;
  std::string dht;
  std::optional<unsigned> replicas;
};

/// The settings of a new group. Throws Error if there is no such overlay, or too many replicas.
OverlayGroupSettings founding(const Insistence& wanted, Duration lease);
/// The settings of a group that was empty: its last ones, except for what this peer insists on.
/// Throws Error as above.
OverlayGroupSettings founding_again(const OverlayGroupSettings& last, Insistence wanted,
                                    std::optional<Duration> lease);
/// Throws Error if the group, with a member at this place, has agreed on something else.
void expect_overlay_settings(const Insistence& wanted, const OverlayGroupSettings& there,
                             const std::string& place);

}  // namespace conch::node
