// The faults of a simulation: which node is struck, by what, and for how long.
#include <algorithm>
#include <cmath>

#include "mutex/voting_sets.hpp"
#include "sim/simulation.hpp"

namespace conch::sim {

void Simulation::schedule_faults() {
  if (options_.faults.storm) brew_storm();
  for (std::size_t number = 0; number < options_.faults.scheduled.size(); ++number) {
    Duration at =
        std::visit([](const auto& fault) { return fault.at; }, options_.faults.scheduled[number]);
    ++local_events_;
    events_.push(Time(at), {.b = static_cast<std::uint32_t>(number), .what = What::fault});
  }
}

/// Schedules random pauses and partitions, all over when the storm is.
void Simulation::brew_storm() {
  Duration storm = *options_.faults.storm;
  auto nodes = options_.nodes();
  auto part_of = [&](Duration whole) {
    return Distribution::uniform(Duration{0}, whole).draw(fault_random_);
  };
  for (std::uint64_t i = fault_random_.below(4) + 1; i > 0; --i) {
    Duration at = part_of(storm);
    Who who{Who::Role::number, static_cast<Node>(fault_random_.below(nodes))};
    options_.faults.scheduled.push_back(Pause{who, at, part_of(storm - at)});
  }
  for (std::uint64_t i = fault_random_.below(4) + 1; i > 0; --i) {
    Duration at = part_of(storm);
    Partition partition{{}, fault_random_.chance(0.5), at, part_of(storm - at)};
    for (Node node = 0; node < nodes; ++node)
      if (fault_random_.chance(0.5)) partition.nodes.push_back(node);
    options_.faults.scheduled.push_back(partition);
  }
  ++local_events_;
  events_.push(Time(storm), {.what = What::calm});
}

/// Only the role `home` means the home: what its crash does is a question of its own.
bool Simulation::matches(Node node, Who::Role role) const {
  Phase phase = processes_[node].phase;
  bool idle = phase == Phase::thinking;
  if (role == Who::Role::home) return idle && node == 0;
  if (node == 0) return false;
  switch (role) {
    case Who::Role::number:
    case Who::Role::coordinator:
    case Who::Role::home: return false;
    case Who::Role::holder: return phase == Phase::inside;
    case Who::Role::waiter: return phase == Phase::waiting;
    case Who::Role::idle: return idle;
    case Who::Role::voter: return idle && votes_for_a_waiter(node);
  }
  return false;
}

bool Simulation::votes_for_a_waiter(Node node) const {
  VotingSetShape voting = simulated_nodes_->entry().tuned(options_.tuning).voting;
  for (Node other = 0; other < processes_.size(); ++other) {
    if (processes_[other].phase != Phase::waiting) continue;
    if (voting_set(roster_, id_of(other), voting).contains(id_of(node))) return true;
  }
  return false;
}

std::optional<Node> Simulation::find(const Who& who) {
  if (who.role == Who::Role::number) return who.node;
  for (Node node = 0; node < processes_.size(); ++node)
    if (matches(node, who.role)) return node;
  return {};
}

void Simulation::begin_fault(std::size_t number) {
  const ScheduledFault& fault = options_.faults.scheduled[number];
  std::optional<Duration> length;
  if (const auto* partition = std::get_if<Partition>(&fault)) {
    network_.part(number, *partition);
    for (Node node : partition->nodes) observer_.note(now_, Happening::partition, node);
    length = partition->length;
  } else {
    Who who = std::visit(
        [](const auto& each) {
          if constexpr (requires { each.who; }) return each.who;
          return Who{};
        },
        fault);
    std::optional<Node> node = find(who);
    if (!node) return pending_faults_.push_back(number);
    struck_[number] = *node;
    if (const auto* pause = std::get_if<Pause>(&fault)) {
      observer_.note(now_, Happening::pause, *node);
      processes_[*node].paused_until =
          std::max(processes_[*node].paused_until, now_ + pause->length);
    } else if (const auto* its_crash = std::get_if<Crash>(&fault)) {
      crash(*node);
      length = its_crash->length;
    } else {
      observer_.note(now_, Happening::suspect, *node);
      suspect(*node);
    }
  }
  if (!length) return;
  ++local_events_;
  events_.push(now_ + *length, {.b = static_cast<std::uint32_t>(number), .what = What::fault_ends});
}

void Simulation::end_fault(std::size_t number) {
  const ScheduledFault& fault = options_.faults.scheduled[number];
  if (const auto* partition = std::get_if<Partition>(&fault)) {
    network_.heal(number);
    for (Node node : partition->nodes) observer_.note(now_, Happening::heal, node);
  } else {
    restart(struck_[number]);
  }
}

void Simulation::crash(Node node) {
  Process& process = processes_[node];
  if (process.phase == Phase::crashed) return;
  anybody_crashed_ = true;
  if (process.phase != Phase::done) --active_;
  process.phase = Phase::crashed;
  ++process.life;
  observer_.crashed(node, now_);
  if (links_) links_->disconnect(node);
  simulated_nodes_->destroy(node);
  if (!options_.faults.detect_after) return;
  ++local_events_;
  events_.push(now_ + *options_.faults.detect_after, {.a = node, .what = What::detect});
}

/// The process comes back and remembers nothing.
void Simulation::restart(Node node) {
  Process& process = processes_[node];
  ++process.life;
  ++active_;
  observer_.note(now_, Happening::restart, node);
  call(node, [&] {
    simulated_nodes_->create(node, assignment(id_of(0), Baton{Fence(Epoch{}, 0), {}}));
    simulated_nodes_->tell(node, input::Start{});
  });
  think(node);
}

void Simulation::suspect(Node whom) {
  for (Node node = 0; node < processes_.size(); ++node) {
    if (node == whom || !present(node)) continue;
    call(node, [&] { simulated_nodes_->tell(node, input::Suspect{id_of(whom)}); });
  }
}

}  // namespace conch::sim
