#include <array>
#include <charconv>

#include "sim/overlay_simulation.hpp"

namespace conch::sim {

std::span<const std::string_view> weathers() {
  static constexpr std::array<std::string_view, 9> names{
      "calm", "crowded", "lossy", "stormy", "shaky", "wary", "idle", "dead", "parted"};
  return names;
}

std::span<const std::string_view> overlays() {
  static constexpr std::array<std::string_view, 4> names{"pastry", "chord", "perfect-pastry",
                                                         "perfect-chord"};
  return names;
}

namespace {

unsigned* find(Mishaps& mishaps, std::string_view name) {
  if (name == "resets") return &mishaps.resets;
  if (name == "crashes") return &mishaps.crashes;
  if (name == "pauses") return &mishaps.pauses;
  if (name == "suspicions") return &mishaps.suspicions;
  if (name == "partitions") return &mishaps.partitions;
  if (name == "joins") return &mishaps.joins;
  return nullptr;
}

}  // namespace

Mishaps parse_mishaps(std::string_view text, Mishaps others) {
  constexpr unsigned mishaps_max = 1000;
  for (std::string_view rest = text;;) {
    auto comma = rest.find(',');
    std::string_view each = rest.substr(0, comma);
    auto equals = each.find('=');
    unsigned* into = find(others, each.substr(0, equals));
    std::string_view digits = equals == each.npos ? "" : each.substr(equals + 1);
    unsigned count = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    bool whole = error == std::errc{} && end == digits.data() + digits.size();
    if (into == nullptr || !whole || count > mishaps_max)
      throw BadText("\"" + std::string(each) + "\" is not a number of resets, crashes, pauses, " +
                    "suspicions, partitions or joins, such as crashes=2");
    *into = count;
    if (comma == rest.npos) return others;
    rest = rest.substr(comma + 1);
  }
}

}  // namespace conch::sim
