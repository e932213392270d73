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

/// Each class, and after it its presets.
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

/// Insertions, deletions, replacements and exchanges of two neighbours between two words; no letter
/// is moved twice (optimal string alignment).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  std::vector<std::size_t> last = row;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      bool is_exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Every option begins with the same dashes, which say nothing.
std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

}  // namespace

Tuning CatalogEntry::tuned(Tuning tuning) const {
  tuning.voting = preset.voting.value_or(tuning.voting);
  tuning.balance = preset.balance.value_or(tuning.balance);
  tuning.queues = preset.queues.value_or(tuning.queues);
  tuning.manners = preset.manners.value_or(tuning.manners);
  if (preset.policy) tuning.policy = preset.policy;
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
  std::size_t letters = without_dashes(name).size();
  bool is_word = letters >= 3;
  std::size_t allowed = is_word ? std::clamp<std::size_t>(letters / 4, 1, 3) : 0;
  std::string_view best;
  for (std::string_view candidate : candidates) {
    bool is_beginning = is_word && candidate.starts_with(name);
    std::size_t distance = is_beginning ? 0 : edits(name, candidate);
    bool is_nearer = best.empty() ? distance <= allowed : distance < allowed;
    if (!is_nearer) continue;
    allowed = distance;
    best = candidate;
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
  std::string message = "unknown algorithm \"" + std::string(name) + "\"";
  std::string_view suggestion = nearest(name, names);
  if (!suggestion.empty()) message += "; did you mean \"" + std::string(suggestion) + "\"?";
  throw UnknownName(message + " (conch algorithms lists them)");
}

}  // namespace conch
