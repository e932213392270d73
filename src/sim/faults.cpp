#include "sim/faults.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace conch::sim {

namespace {

using Role = Who::Role;

constexpr std::array roles{std::pair{std::string_view("holder"), Role::holder},
                           std::pair{std::string_view("waiter"), Role::waiter},
                           std::pair{std::string_view("idle"), Role::idle},
                           std::pair{std::string_view("home"), Role::home},
                           std::pair{std::string_view("voter"), Role::voter},
                           std::pair{std::string_view("coordinator"), Role::coordinator}};

Node parse_node(std::string_view text) {
  Node node = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty())
    throw BadText(
        "\"" + std::string(text) +
        "\" is not a node: give its number, or holder, waiter, idle, home or voter, or, in an "
        "election, coordinator");
  return node;
}

struct When {
  std::string_view subject;
  Duration at{};
  std::optional<Duration> length;
};

When parse_when(std::string_view text, std::string_view form) {
  auto sign = text.find('@');
  if (sign == std::string_view::npos)
    throw BadText("\"" + std::string(text) + "\" does not say when: write " + std::string(form));
  When when{text.substr(0, sign), {}, {}};
  std::string_view time = text.substr(sign + 1);
  auto plus = time.find('+');
  when.at = parse_duration(time.substr(0, plus));
  if (plus != std::string_view::npos) when.length = parse_duration(time.substr(plus + 1));
  return when;
}

Duration length_of(const When& when, std::string_view text, std::string_view form) {
  if (!when.length)
    throw BadText("\"" + std::string(text) + "\" does not say how long: write " +
                  std::string(form));
  return *when.length;
}

}  // namespace

Who Who::parse(std::string_view text) {
  for (auto [name, role] : roles)
    if (text == name) return {role, 0};
  return {Role::number, parse_node(text)};
}

std::string Who::print() const {
  for (auto [name, each] : roles)
    if (role == each) return std::string(name);
  return std::to_string(node);
}

bool Faults::network_is_faulty() const {
  bool parts = storm.has_value();
  for (const ScheduledFault& fault : scheduled) parts |= std::holds_alternative<Partition>(fault);
  return lose > 0 || duplicate > 0 || parts;
}

Crash parse_crash(std::string_view text) {
  When when = parse_when(text, "WHO@TIME or WHO@TIME+LENGTH, as in holder@2s+1s");
  return {Who::parse(when.subject), when.at, when.length};
}

Pause parse_pause(std::string_view text) {
  constexpr std::string_view form = "WHO@TIME+LENGTH, as in 3@2s+500ms";
  When when = parse_when(text, form);
  return {Who::parse(when.subject), when.at, length_of(when, text, form)};
}

Partition parse_partition(std::string_view text, bool one_way) {
  constexpr std::string_view form = "NODE,NODE,...@TIME+LENGTH, as in 0,1@2s+500ms";
  When when = parse_when(text, form);
  Partition partition{{}, one_way, when.at, length_of(when, text, form)};
  for (std::string_view rest = when.subject; !rest.empty();) {
    auto comma = rest.find(',');
    partition.nodes.push_back(parse_node(rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  return partition;
}

FalseSuspicion parse_suspicion(std::string_view text) {
  When when = parse_when(text, "WHO@TIME, as in holder@2s");
  if (when.length) throw BadText("a suspicion has no length: write WHO@TIME, as in holder@2s");
  return {Who::parse(when.subject), when.at};
}

Clog parse_clog(std::string_view text) {
  auto colon = text.find(':');
  if (colon == std::string_view::npos)
    throw BadText("\"" + std::string(text) + "\" is not SHARE:DELAY, as in 1%:200ms");
  return {parse_share(text.substr(0, colon)), parse_duration(text.substr(colon + 1))};
}

}  // namespace conch::sim
