// Group simulation: the commands that clients run under locks, and how they end.
#include <algorithm>

#include "sim/group_simulation_process.hpp"

namespace conch::sim {

using namespace recovery;

bool GroupSimulation::has_commands(const PeerInstance& life) const {
  return std::any_of(commands_.begin(), commands_.end(),
                     [&](const Command& each) { return each.actor.life == life; });
}

/// When a claim enters, no conflicting command of another holder may still run.
void GroupSimulation::see_other_commands(const Actor& actor, const std::string& lock,
                                         const Wish& wish) {
  for (const Command& command : commands_) {
    bool may_run = command.clock.shows(now_) < command.last;
    bool is_other = command.actor != actor && command.lock == lock;
    if (!is_other || !may_run || !wish.conflicts(command.wish)) continue;
    findings_.report(Property::mutual_exclusion, name_of(actor) + " enters while a command of " +
                                                     name_of(command.actor) + " may run");
  }
}

void GroupSimulation::start_command(Process& process, Client& client, Fence fence) {
  findings_.see(Sighting::client_entered);
  client.life = process.life;
  Actor actor{process.life, client.number};
  entered(process, actor, *process.node->find_local_lock(client.lock), client.wish, fence);
  serve(process.id, client.number, client.asked_after_storm);
  if (!is_ring() && register_.lock_delay(process.life) < client.lock_delay)
    findings_.report(Property::invariant,
                     name_of(actor) + " is let in before the register knows of its lock delay");
  commands_.push_back({process.serial,
                       actor,
                       fence,
                       client.lock,
                       client.wish,
                       process.clock,
                       {},
                       client.lock_delay});
  prolong_commands(process);
  if (!client.is_connected || client.doing != Client::Doing::waits) forget_command(actor, fence);
  if (client_dice_.chance(0.005)) leave_soon(process, options_.lease.length / 10);
}

/// Extends the commands by what their keepers see of the lease. Other clocks may be faster.
void GroupSimulation::prolong_commands(const Process& process) {
  for (Command& command : commands_) {
    if (command.actor.life != process.life || !process.lease_until) continue;
    Duration delay{};
    if (command.lock_delay > delay)
      delay = reliable({command.lock_delay, options_.lease.drift_percent});
    command.last = *process.lease_until + delay;
  }
}

/// The keeper asks the command to end; `then` runs when it has.
void GroupSimulation::end_command(const Actor& actor, Act then) {
  auto found = std::find_if(commands_.begin(), commands_.end(),
                            [&](const Command& each) { return each.actor == actor; });
  if (found == commands_.end()) return then();
  found->then.push_back(std::move(then));
  if (std::exchange(found->is_ending, true)) return;
  auto grace = std::chrono::microseconds(client_dice_.below(
      static_cast<std::uint64_t>(options_.lease.length / 10 / std::chrono::microseconds(1))));
  after(grace, [this, actor, fence = found->fence] {
    forget_command(actor, fence);
    if (!noticed_.contains(actor.life) || has_commands(actor.life)) return;
    findings_.see(Sighting::command_ended);
    end_life(actor.life);
  });
}

/// The command has ended, or no longer matters.
void GroupSimulation::forget_command(const Actor& actor, Fence fence) {
  auto found = std::find_if(commands_.begin(), commands_.end(), [&](const Command& each) {
    return each.actor == actor && each.fence == fence;
  });
  if (found == commands_.end()) return;
  if (trace_) note(name_of(actor) + " has ended its command");
  oracle(found->lock).left(actor, std::nullopt);
  std::vector<Act> then = std::move(found->then);
  commands_.erase(found);
  for (const Act& each : then) each();
}

/// A lock is forced open after the command has ended, or without regard to it.
void GroupSimulation::forgive_forced_commands(const Process& process) {
  if (!process.node->has_life()) return;
  const View& view = process.node->group_member().view();
  if (view.forced.empty()) return;
  Holders forced;
  for (const Command& command : commands_)
    if (command.actor.life == process.life &&
        command.fence.epoch() < view.forced_open(command.lock)) {
      forced[command.actor] = command.fence;
      if (command.is_awaited)
        findings_.report(Property::mutual_exclusion,
                         "'" + command.lock + "' was forced open before the command of " +
                             name_of(command.actor) + " had ended");
    }
  for (const auto& [actor, fence] : forced) {
    findings_.see(Sighting::holder_forced);
    forget_command(actor, fence);
  }
}

}  // namespace conch::sim
