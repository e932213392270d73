#include "node/overlay_group_settings.hpp"

#include <array>
#include <charconv>
#include <conch/error.hpp>
#include <vector>

#include "overlay/replicas.hpp"

namespace conch::node {

static_assert(replicas_max == overlay::Replicas::most_leased);

namespace {

constexpr std::array<std::string_view, 2> overlays{"pastry", "chord"};

bool is_overlay(std::string_view name) { return name == overlays[0] || name == overlays[1]; }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string text_of(const OverlayGroupSettings& overlay_settings) {
  auto lease = std::chrono::duration_cast<std::chrono::milliseconds>(overlay_settings.lease);
  return overlay_settings.algorithm + "/" + overlay_settings.dht + "/" +
         std::to_string(overlay_settings.replicas) + "/" + std::to_string(lease.count()) + "ms";
}

std::optional<OverlayGroupSettings> parse_overlay_settings(std::string_view text) {
  if (!text.ends_with("ms")) return std::nullopt;
  std::vector<std::string_view> parts = split(text.substr(0, text.size() - 2), '/');
  if (parts.size() != 4 || !find_routed(parts[0]) || !is_overlay(parts[1])) return std::nullopt;
  std::optional<std::uint64_t> replicas = number_in(parts[2]), lease = number_in(parts[3]);
  constexpr std::uint64_t lease_max_ms = 86'400'000;
  if (!replicas || *replicas < 1 || *replicas > replicas_max) return std::nullopt;
  if (!lease || *lease < 1 || *lease > lease_max_ms) return std::nullopt;
  return OverlayGroupSettings{std::string(parts[0]), std::string(parts[1]),
                              static_cast<unsigned>(*replicas), std::chrono::milliseconds(*lease)};
}

const CatalogEntry* find_routed(std::string_view algorithm) {
  for (const CatalogEntry& entry : protocols())
    if (entry.about.name == algorithm) return &entry;
  return nullptr;
}

OverlayGroupSettings founding(const Insistence& wanted, Duration lease) {
  OverlayGroupSettings overlay_settings{.algorithm = wanted.algorithm, .lease = lease};
  if (!wanted.dht.empty()) overlay_settings.dht = wanted.dht;
  if (!is_overlay(overlay_settings.dht))
    throw Error(ErrorCode::bad_argument,
                "unknown overlay '" + overlay_settings.dht + "'; use --dht pastry or chord");
  overlay_settings.replicas = wanted.replicas.value_or(overlay_settings.replicas);
  if (overlay_settings.replicas < 1 || overlay_settings.replicas > replicas_max)
    throw Error(ErrorCode::bad_argument, "a lock has 1 to " + std::to_string(replicas_max) +
                                             " replicas, not " +
                                             std::to_string(overlay_settings.replicas));
  return overlay_settings;
}

OverlayGroupSettings founding_again(const OverlayGroupSettings& last, Insistence wanted,
                                    std::optional<Duration> lease) {
  wanted.algorithm = last.algorithm;
  if (wanted.dht.empty()) wanted.dht = last.dht;
  if (!wanted.replicas) wanted.replicas = last.replicas;
  return founding(wanted, lease.value_or(last.lease));
}

void expect_overlay_settings(const Insistence& wanted, const OverlayGroupSettings& there,
                             const std::string& place) {
  auto disagree = [&](const std::string& option, const std::string& has, const std::string& wants) {
    throw Error(ErrorCode::misconfigured, "the group at " + place + " runs " + text_of(there) +
                                              ": it has " + option + " " + has + ", not " + wants +
                                              "; leave that out, or start another group");
  };
  if (!wanted.algorithm.empty() && wanted.algorithm != there.algorithm)
    disagree("--algorithm", there.algorithm, wanted.algorithm);
  if (!wanted.dht.empty() && wanted.dht != there.dht) disagree("--dht", there.dht, wanted.dht);
  if (wanted.replicas && *wanted.replicas != there.replicas)
    disagree("--replicas", std::to_string(there.replicas), std::to_string(*wanted.replicas));
}

}  // namespace conch::node
