// What a scripted world shows of itself.
#include <algorithm>
#include <array>

#include "core/print.hpp"
#include "sim/distribution.hpp"
#include "sim/scripted_world.hpp"

namespace conch::sim {

namespace {

/// Cuts `name value, name value` at the commas between fields, not at those inside values.
std::vector<std::string_view> fields_of(std::string_view state) {
  std::vector<std::string_view> fields;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (state[i] == '{' || state[i] == '(') ++depth;
    if (state[i] == '}' || state[i] == ')') --depth;
    if (state[i] != ',' || depth > 0) continue;
    fields.push_back(state.substr(begin, i - begin));
    begin = i + 2;
  }
  fields.push_back(state.substr(begin));
  return fields;
}

std::string_view name_of(std::string_view field) { return field.substr(0, field.find(' ')); }

std::string_view find_field(const std::vector<std::string_view>& fields, std::string_view name) {
  std::vector<std::string_view> names;
  for (std::string_view field : fields) {
    if (name_of(field) == name) return field;
    names.push_back(name_of(field));
  }
  std::string message = "there is no field \"" + std::string(name) + "\"";
  std::string_view suggestion = nearest(name, names);
  if (!suggestion.empty()) message += "; did you mean \"" + std::string(suggestion) + "\"?";
  throw BadText(message);
}

}  // namespace

void ScriptedWorld::show_one_state(Node node, const std::vector<std::string_view>& names) {
  if (!present(node)) return write(std::to_string(node) + " " + std::string(word(phase(node))));
  std::string state = simulated_nodes_->state(node);
  std::vector<std::string_view> fields = fields_of(state);
  std::string shown;
  auto show = [&](std::string_view field) {
    shown += (shown.empty() ? ": " : ", ") + std::string(field);
  };
  for (std::string_view name : names) show(find_field(fields, name));
  for (std::string_view field : fields)
    if (names.empty() && name_of(field) != "self") show(field);
  write(std::to_string(node) + shown);
}

void ScriptedWorld::show_state(std::optional<Node> node,
                               const std::vector<std::string_view>& names) {
  if (node) {
    expect_known(*node);
    return show_one_state(*node, names);
  }
  if (phases_.size() > states_max + newcomers_max)
    throw BadText("these are too many nodes to show them all; name one");
  for (Node each = 0; each < phases_.size(); ++each)
    if (phase(each) != Phase::absent) show_one_state(each, names);
}

void ScriptedWorld::show_in_flight() {
  for (const InFlight& message : in_flight_)
    write(print(message) + (parted(message) ? " (held back)" : ""));
  if (in_flight_.empty()) write("nothing is in flight");
}

std::string ScriptedWorld::those_who(Phase its) const {
  std::string text;
  for (Node node = 0; node < phases_.size(); ++node)
    if (phase(node) == its) text += (text.empty() ? "" : ", ") + std::to_string(node);
  return text;
}

std::string ScriptedWorld::those_inside() const {
  std::string text;
  for (const auto& [node, holder] : oracles_.inside()) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(node) + " with fence " + conch::print(holder.fence);
    if (holder.wish != Wish{}) text += " to " + conch::print(holder.wish);
  }
  return text;
}

/// Nothing is in flight, no timer is armed and no node is inside: a waiter now waits until the
/// script interferes.
Finding ScriptedWorld::deadlock() const {
  std::string waiting = those_who(Phase::waiting);
  std::string cancelling = those_who(Phase::cancelling);
  if (!in_flight_.empty() || !armed_.empty()) return {};
  if (!cancelling.empty()) return "nothing is in flight and a cancel does not end: " + cancelling;
  if (!oracles_.inside().empty() || waiting.empty()) return {};
  return "deadlock: nothing is in flight, nobody is inside, and these wait: " + waiting;
}

/// A structure is whole while nothing is in flight and no node has crashed.
bool ScriptedWorld::examinable() const {
  return in_flight_.empty() && those_who(Phase::crashed).empty();
}

Finding ScriptedWorld::disorder() const {
  if (!simulated_nodes_->entry().can.structured || !examinable()) return {};
  std::vector<Node> members;
  for (NodeId member : roster_)
    if (phase(node_of(member)) != Phase::joining) members.push_back(node_of(member));
  return finding_of(simulated_nodes_->disorder(members));
}

std::vector<Property> ScriptedWorld::judged() const {
  const Capabilities& can = simulated_nodes_->entry().can;
  if (can.elects) return {Property::right_coordinator, Property::all_elect, Property::invariant};
  std::vector<Property> list{Property::mutual_exclusion, Property::progress, Property::order};
  if (can.token) list.push_back(Property::one_token);
  list.insert(list.end(), {Property::fences, Property::data});
  if (dynamic(simulated_nodes_->entry())) list.push_back(Property::addressee);
  list.push_back(Property::invariant);
  if (can.structured) list.push_back(Property::structure);
  return list;
}

/// Judges the properties that are about the present state.
Finding ScriptedWorld::finding(Property property) const {
  if (property == Property::progress) return deadlock();
  if (property == Property::structure) return disorder();
  if (!at_rest()) return {};
  if (property == Property::right_coordinator)
    return wrong_coordinator(voters(), promise_of(simulated_nodes_->entry()));
  if (property == Property::all_elect) return undecided(voters());
  return {};
}

/// ME2 is broken only as long as nothing can happen.
bool ScriptedWorld::broken(Property property) const {
  bool was = property != Property::progress && broken_.contains(property);
  return was || finding(property);
}

std::string ScriptedWorld::verdict(Property property) const {
  const About& about = simulated_nodes_->entry().about;
  bool promised = property == Property::progress ? about.promises_progress
                  : property == Property::order  ? about.promises_order
                                                 : true;
  if (property == Property::order && !checks_order_) return "not checked";
  if (broken(property)) return promised ? "violated" : "violated (not promised)";
  if (property == Property::structure && !examinable()) return "not checked";
  bool at_the_end = property == Property::right_coordinator || property == Property::all_elect;
  if (at_the_end && !at_rest()) return "not at rest";
  return promised ? "held" : "not promised";
}

void ScriptedWorld::check() {
  if (simulated_nodes_->entry().can.elects) return check_election();
  std::vector<Node> stuck;
  for (Node node = 0; node < phases_.size(); ++node)
    if (phase(node) == Phase::waiting || phase(node) == Phase::cancelling) stuck.push_back(node);
  oracles_.report(Property::progress, deadlock(), stuck);
  oracles_.report(Property::structure, disorder());
  announce_violations();
  for (Property property : judged()) write(std::string(word(property)) + ": " + verdict(property));
  std::string waiting = those_who(Phase::waiting);
  std::string inside = those_inside();
  write("waiting: " + (waiting.empty() ? "nobody" : waiting));
  write("inside: " + (inside.empty() ? "nobody" : inside));
}

Sight::Member ScriptedWorld::member(Node node) const {
  Sight::Member seen{.node = node, .phase = phase(node)};
  if (!present(node)) return seen;
  seen.token = simulated_nodes_->holds_token(node);
  seen.state = simulated_nodes_->state(node);
  for (const auto& [whose, timer] : armed_)
    if (whose == node) seen.armed.push_back(timer);
  if (std::optional<NodeId> elected = simulated_nodes_->elected(node))
    seen.elected = node_of(*elected);
  seen.participant = simulated_nodes_->participant(node);
  seen.retired = simulated_nodes_->retired(node);
  return seen;
}

Sight ScriptedWorld::sight() const {
  Sight sight{.entry = &simulated_nodes_->entry(), .deadlock = deadlock()};
  for (Node node = 0; node < phases_.size(); ++node)
    if (phase(node) != Phase::absent) sight.members.push_back(member(node));
  for (const InFlight& message : in_flight_) {
    auto [from, to] = std::visit([](const auto& m) { return std::pair{m.from, m.to}; }, message);
    std::string text = print(message);
    sight.in_flight.push_back({from, to, std::string(kind_of(message)),
                               text.substr(text.find(kind_of(message))), parted(message)});
  }
  for (Property property : judged())
    sight.verdicts.push_back({property, verdict(property), broken(property)});
  sight.left = sides_.left;
  sight.right = sides_.right;
  auto newcomer = std::find(phases_.begin(), phases_.end(), Phase::absent);
  if (dynamic(*sight.entry) && newcomer != phases_.end())
    sight.newcomer = static_cast<Node>(newcomer - phases_.begin());
  return sight;
}

}  // namespace conch::sim
