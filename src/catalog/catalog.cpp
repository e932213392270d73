#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "catalog/classes.hpp"
#include "catalog/presets.hpp"

namespace conch {

namespace {

template <class... As>
std::vector<CatalogEntry> classes(std::type_identity<std::tuple<As...>>) {
  return {CatalogEntry{As::about, capabilities_of<As>(), As::about.name, {}}...};
}

template <class... Ps>
std::vector<CatalogEntry> protocol_entries(std::type_identity<std::tuple<Ps...>>) {
  constexpr Capabilities can{.dynamic = true, .suspecting = true, .timed = true, .routed = true};
  return {CatalogEntry{Ps::about, can, Ps::about.name, {}}...};
}

/// Each class, and after it those that are a preset of it.
template <class Classes>
std::vector<CatalogEntry> all_entries() {
  std::vector<CatalogEntry> list;
  for (const CatalogEntry& entry : classes(std::type_identity<Classes>{})) {
    list.push_back(entry);
    for (const CatalogEntry& preset : presets())
      if (preset.algorithm == entry.about.name) list.push_back(preset);
  }
  return list;
}

/// Insertions, deletions and replacements between two words (Levenshtein).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

}  // namespace

Tuning CatalogEntry::tuned(Tuning tuning) const {
  tuning.voting = preset.voting.value_or(tuning.voting);
  tuning.balance = preset.balance.value_or(tuning.balance);
  tuning.without = preset.without.value_or(tuning.without);
  tuning.manners = preset.manners.value_or(tuning.manners);
  return tuning;
}

Assignment CatalogEntry::tuned(Assignment start) const {
  start.tuning = tuned(start.tuning);
  return start;
}

std::span<const CatalogEntry> catalog() {
  static const std::vector<CatalogEntry> entries = all_entries<Algorithms>();
  return entries;
}

std::span<const CatalogEntry> elections() {
  static const std::vector<CatalogEntry> entries = all_entries<Electors>();
  return entries;
}

std::span<const CatalogEntry> protocols() {
  static const std::vector<CatalogEntry> entries =
      protocol_entries(std::type_identity<Protocols>{});
  return entries;
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t fewest = name.size() / 2 + 2;
  for (std::string_view candidate : candidates) {
    std::size_t distance =
        candidate.starts_with(name) && !name.empty() ? 0 : edits(name, candidate);
    if (distance < fewest) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

const CatalogEntry& find_algorithm(std::string_view name) {
  const CatalogEntry& entry = find_any(name);
  if (entry.can.elects)
    throw UnknownName(std::string(name) + " is an election: it chooses a coordinator and lets " +
                      "nobody in");
  if (entry.can.routed)
    throw UnknownName(std::string(name) + " runs over an overlay, without a list of members: try " +
                      "conch sim, conch check, conch peer, or conch lab run p2p-load");
  return entry;
}

const CatalogEntry& find_any(std::string_view name) {
  std::vector<std::string_view> names;
  for (std::span<const CatalogEntry> family : {catalog(), elections(), protocols()}) {
    for (const CatalogEntry& entry : family) {
      if (entry.about.name == name) return entry;
      names.push_back(entry.about.name);
    }
  }
  std::string message = "there is no algorithm \"" + std::string(name) + "\"";
  std::string_view suggestion = nearest(name, names);
  if (!suggestion.empty()) message += "; did you mean \"" + std::string(suggestion) + "\"?";
  throw UnknownName(message + " (conch algorithms lists them)");
}

}  // namespace conch
