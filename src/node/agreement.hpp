// What all peers of a group without a register agree on. It is told in the handshake, in the place
// of the algorithm's name: so who disagrees is refused before anything is said, and a stranger who
// asks who is there knows all it needs to come in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "core/types.hpp"

namespace conch::node {

/// The lease of a group whose founder gives none.
inline constexpr std::chrono::milliseconds default_lease = std::chrono::seconds(5);

struct Agreement {
  std::string algorithm;
  std::string dht = "pastry";
  unsigned replicas = 5;
  Duration lease = default_lease;
  friend bool operator==(const Agreement&, const Agreement&) = default;
};

/// With leases, so many timers have numbers of their own (overlay/replicas.hpp).
inline constexpr unsigned replicas_max = 36;

/// As in `end-to-end/pastry/5/5000ms`.
std::string text_of(const Agreement& agreement);
/// Nothing if it is the name of an algorithm that needs a register, or nonsense.
std::optional<Agreement> parse_agreement(std::string_view text);

/// Of an algorithm that finds its replicas by an overlay; nothing if it is none.
const CatalogEntry* find_routed(std::string_view algorithm);

/// What a peer insists on; the rest is as the group has it.
struct Insistence {
  std::string algorithm;
  std::string dht;
  std::optional<unsigned> replicas;
};

/// Of a new group. Throws Error: no such overlay, or too many replicas.
Agreement founding(const Insistence& wanted, Duration lease);
/// The agreement of a group that was empty: its last one, but for what this peer insists on.
/// Throws Error likewise.
Agreement founding_again(const Agreement& last, Insistence wanted, std::optional<Duration> lease);
/// Throws Error if the group, of which one is at this place, has agreed on something else.
void expect_agreement(const Insistence& wanted, const Agreement& there, const std::string& place);

}  // namespace conch::node
