// The messages of a scripted world: how one is selected, and delivered or lost.
#include <algorithm>
#include <utility>

#include "core/print.hpp"
#include "sim/distribution.hpp"
#include "sim/scripted_world.hpp"

namespace conch::sim {

namespace {

constexpr std::string_view telling_kind = "TELL";

}  // namespace

void ScriptedWorld::post(const Posted& message) {
  in_flight_.emplace_back(message);
  if (is_rehearsing_) return;
  write(print(in_flight_.back()));
  record(Happening::send, message.from, message.to, message);
  oracles_.sent(message);
  announce_violations();
  if (phase(message.to) == Phase::left) lose(take(in_flight_.size() - 1));
}

std::string_view ScriptedWorld::kind_of(const InFlight& message) const {
  const Posted* posted = std::get_if<Posted>(&message);
  return posted ? std::string_view(simulated_nodes_->kinds()[posted->kind]) : telling_kind;
}

/// 1 -> 0 REQUEST(number 1)
std::string ScriptedWorld::print(const InFlight& message) const {
  auto channel = [](const auto& m) {
    return std::to_string(m.from) + " -> " + std::to_string(m.to) + " ";
  };
  std::string text = std::visit(channel, message);
  if (const Posted* posted = std::get_if<Posted>(&message))
    return text + simulated_nodes_->print(posted->slot);
  text += telling_kind;
  if (simulated_nodes_->entry().can.causal)
    text += "(stamp " + conch::print(std::get<Telling>(message).stamp) + ")";
  return text;
}

bool ScriptedWorld::matches(const InFlight& message, const Which& which) const {
  auto channel = [](const auto& m) { return std::pair{m.from, m.to}; };
  if (which.channel && *which.channel != std::visit(channel, message)) return false;
  return which.kind.empty() || which.kind == kind_of(message);
}

bool ScriptedWorld::parted(const InFlight& message) const {
  auto crosses = [&](const auto& m) {
    return (sides_.left.contains(m.from) && sides_.right.contains(m.to)) ||
           (sides_.right.contains(m.from) && sides_.left.contains(m.to));
  };
  return std::visit(crosses, message);
}

std::optional<std::size_t> ScriptedWorld::oldest(const Which& which, Reach reach) const {
  auto found = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const InFlight& message) {
    return matches(message, which) && (reach == Reach::any || !parted(message));
  });
  if (found == in_flight_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - in_flight_.begin());
}

void ScriptedWorld::expect_kind(std::string_view kind) const {
  std::vector<std::string_view> kinds(simulated_nodes_->kinds().begin(),
                                      simulated_nodes_->kinds().end());
  kinds.push_back(telling_kind);
  if (kind.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return;
  std::string message = "no message is called \"" + std::string(kind) + "\"";
  std::string_view suggestion = nearest(kind, kinds);
  if (!suggestion.empty()) message += "; did you mean " + std::string(suggestion) + "?";
  throw BadText(message);
}

std::size_t ScriptedWorld::find(const Which& which, Reach reach) const {
  if (which.channel) {
    expect_known(which.channel->first);
    expect_known(which.channel->second);
  }
  expect_kind(which.kind);
  if (std::optional<std::size_t> found = oldest(which, reach)) return *found;
  if (oldest(which, Reach::any)) throw BadText("the partition holds it back");
  throw BadText("no such message is in flight");
}

ScriptedWorld::InFlight ScriptedWorld::take(std::size_t position) {
  auto place = in_flight_.begin() + static_cast<std::ptrdiff_t>(position);
  InFlight message = std::move(*place);
  in_flight_.erase(place);
  return message;
}

void ScriptedWorld::done(Slot slot) {
  auto copies = copies_.find(slot);
  if (copies == copies_.end()) return simulated_nodes_->discard(slot);
  if (--copies->second == 1) copies_.erase(copies);
}

void ScriptedWorld::record(Happening happening, Node node, Node peer, const Posted& message) {
  if (!recorder_.records()) return;
  if (std::exchange(steps_on_, false)) ++step_;
  recorder_.write({Time(Duration(step_)),
                   happening,
                   node,
                   peer,
                   simulated_nodes_->print(message.slot),
                   {},
                   message.slot + 1},
                  nullptr);
}

void ScriptedWorld::lose(const InFlight& message) {
  const Posted* posted = std::get_if<Posted>(&message);
  if (posted == nullptr) return;
  record(Happening::lose, posted->from, posted->to, *posted);
  oracles_.lost(*posted);
  done(posted->slot);
}

void ScriptedWorld::arrive(const Posted& message) {
  oracles_.received(message.to, message.slot);
  record(Happening::receive, message.to, message.from, message);
  call(
      message.to, [&] { simulated_nodes_->receive(message.to, message.from, message.slot); },
      message.token);
  done(message.slot);
}

void ScriptedWorld::arrive(const Telling& telling) {
  write(std::to_string(telling.to) + " is told by " + std::to_string(telling.from));
  oracles_.told(telling.to, telling.clock);
  record(Happening::told, telling.to, telling.from);
  simulated_nodes_->observe(telling.to, telling.stamp);
}

void ScriptedWorld::deliver_at(std::size_t position) {
  step();
  InFlight message = take(position);
  Node to = std::visit([](const auto& m) { return m.to; }, message);
  if (present(to)) return std::visit([&](const auto& m) { arrive(m); }, message);
  write("lost: " + print(message) + ": " + std::to_string(to) + " " + std::string(word(phase(to))));
  const Posted* posted = std::get_if<Posted>(&message);
  if (posted == nullptr || phase(to) != Phase::left) return lose(message);
  record(Happening::lose, posted->from, to, *posted);
  oracles_.missed(to, posted->from, posted->slot, posted->token);
  announce_violations();
  done(posted->slot);
}

void ScriptedWorld::deliver(const Which& which) {
  std::size_t position = find(which, Reach::deliverable);
  if (!which.channel) write("arrives: " + print(in_flight_[position]));
  deliver_at(position);
}

void ScriptedWorld::drop(const Which& which) {
  InFlight message = take(find(which, Reach::any));
  step();
  write("dropped: " + print(message));
  lose(message);
}

void ScriptedWorld::duplicate(const Which& which) {
  expect_room();
  InFlight copy = in_flight_[find(which, Reach::any)];
  write("duplicated: " + print(copy));
  if (const Posted* posted = std::get_if<Posted>(&copy)) {
    ++copies_.try_emplace(posted->slot, 1).first->second;
    oracles_.duplicated(*posted);
    step();
    record(Happening::duplicate, posted->from, posted->to, *posted);
  }
  in_flight_.push_back(std::move(copy));
}

void ScriptedWorld::settle(std::optional<std::size_t> deliveries) {
  const About& about = simulated_nodes_->entry().about;
  if (about.restless && !deliveries)
    throw BadText(std::string(about.name) + " never rests: say how many deliveries, settle COUNT");
  std::size_t left = std::min(deliveries.value_or(deliveries_max), deliveries_max);
  std::optional<std::size_t> next = oldest({}, Reach::deliverable);
  for (; next && left > 0; --left, next = oldest({}, Reach::deliverable)) {
    expect_room();
    deliver_at(*next);
  }
  if (next && !deliveries)
    throw BadText("it does not come to rest in " + std::to_string(deliveries_max) + " deliveries");
  if (!next && !in_flight_.empty())
    write("held back by the partition: " + std::to_string(in_flight_.size()));
}

void ScriptedWorld::expect_silence(Node node) const {
  auto concerns = [&](const InFlight& message) {
    return std::visit([&](const auto& m) { return m.from == node || m.to == node; }, message);
  };
  if (std::any_of(in_flight_.begin(), in_flight_.end(), concerns))
    throw BadText(std::to_string(node) + " cannot join: messages of its former life are in flight");
}

}  // namespace conch::sim
