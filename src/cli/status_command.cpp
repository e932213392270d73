// `conch status`, `evict` and `unlock`: inspect a group and intervene in it.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <conch/error.hpp>

#include "cli/commands.hpp"
#include "cli/holders.hpp"
#include "cli/peer_line.hpp"
#include "cli/status_report.hpp"
#include "core/table.hpp"
#include "net/clock.hpp"
#include "node/names.hpp"
#include "node/overlay_group_settings.hpp"
#include "peer/names.hpp"
#include "wire/address.hpp"

namespace conch::cli {
namespace {

using namespace node;
using namespace peer;
using recovery::Member;

/// Omits addresses that only this machine can reach.
std::string where(const Member& member) {
  std::string text;
  for (const wire::Way& way : wire::parse_address(member.address).value_or(wire::Ways{}))
    if (const auto* tcp = std::get_if<wire::TcpWay>(&way))
      text += (text.empty() ? "" : " ") + wire::print(*tcp);
  return text.empty() ? "on its machine only" : text;
}

void print_members(const Status& status) {
  Table table({"member", "process", "lease", "age", "clients", "entries", "lost", "sent",
               "received", "cluster", "address"});
  table.align_left(9);
  table.align_left(10);
  for (const Member& member : status.view.roster) {
    std::string name = id_text(member.id) + (member.id == status.self.id ? " *" : "");
    const StatusPart* part = part_of(status, member);
    auto count = [&](std::uint64_t Counts::*which) {
      return part ? std::to_string(part->counts.*which) : "-";
    };
    table.row({name, part ? std::to_string(part->process) : "-", lease_text(status, member),
               part ? seconds_text(part->age) : "-", part ? std::to_string(part->clients) : "-",
               count(&Counts::entries), count(&Counts::losses), count(&Counts::messages_sent),
               count(&Counts::messages_received), member.cluster, where(member)});
  }
  fmt::print("{}\n", table.text());
}

std::string parts_text(const std::vector<GroupStatus::Claim>& parts) {
  std::string text;
  for (const auto& part : parts) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} ({}{})", id_text(NodeId{part.member}), seconds_text(part.since),
                        part.shared ? ", shared" : "");
    if (part.in_line > 0) text += fmt::format(" +{} queued there", part.in_line);
  }
  return text;
}

void print_locks(const Status& status) {
  auto locks = locks_of(status);
  if (locks.empty()) return fmt::print("no locks in use\n");
  for (const auto& [name, lock] : locks) {
    if (lock.holders.empty()) {
      fmt::print("{}: free{}\n", name,
                 lock.token ? ", token at " + id_text(NodeId{*lock.token}) : std::string());
    } else {
      fmt::print("{}: held by {}, fence {}\n", name, parts_text(lock.holders), lock.fence);
    }
    if (!lock.waiters.empty()) fmt::print("  waiting: {}\n", parts_text(lock.waiters));
  }
}

/// Prints one row for each process that holds a lock or waits for one.
void print_processes(const Claims& claims) {
  Table table({"process", "user", "member", "lock", "holds", "for", "command"});
  for (std::size_t column : {1, 2, 3, 4, 6}) table.align_left(column);
  bool any = false;
  for (const ClaimsPart& part : claims.parts)
    for (const ProcessPart& process : part.processes)
      for (const ClaimPart& claim : process.claims) {
        const char* has = !claim.holds ? "waits" : claim.reads ? "shared" : "yes";
        table.row({std::to_string(process.process), user_text(process.user, part.host),
                   id_text(part.life.id), claim.lock, has, age_text(claim.since), process.command});
        any = true;
      }
  if (any) fmt::print("\n{}", table.text());
}

/// A peer without a register knows only its neighbours.
void print_ring(const Status& status, const OverlayGroupSettings& overlay_settings) {
  std::size_t neighbours = status.view.roster.size() - 1;
  fmt::print("group {}: {} over {}, {} replicas of each lock, leases of {}\n", status.group,
             overlay_settings.algorithm, overlay_settings.dht, overlay_settings.replicas,
             seconds_text(overlay_settings.lease));
  fmt::print(
      "there is no list of members: this is what peer {} and its {} neighbour{} know\n"
      "\n",
      id_text(status.self.id), neighbours, neighbours == 1 ? "" : "s");
  print_members(status);
  print_locks(status);
}

void print_text(const Status& status) {
  if (status.view.roster.empty())
    return fmt::print("group {}: peer {}, which was asked, is not in the group at the moment\n",
                      status.group, id_text(status.self.id));
  if (auto overlay_settings = parse_overlay_settings(status.view.algorithm))
    return print_ring(status, *overlay_settings);
  std::string what_runs = status.view.algorithm;
  if (status.view.eps > 0) what_runs += fmt::format(", eps {}", status.view.eps);
  fmt::print("group {}: {}, epoch {}, view {}, {} member{}\n\n", status.group, what_runs,
             status.view.epoch.value, status.view.number, status.view.roster.size(),
             status.view.roster.size() == 1 ? "" : "s");
  print_members(status);
  print_locks(status);
}

struct GroupAnswer {
  Status status;
  /// Empty if the peer's version does not support the question.
  Claims claims;
};

/// Asks both questions at once, because the members have a second to answer each.
GroupAnswer ask_group_through(PeerLine line) {
  if (line.knows_claims()) line.send(AskClaims{"", std::chrono::seconds(1)});
  line.send(AskStatus{});
  std::optional<Status> status;
  std::optional<Claims> claims;
  if (!line.knows_claims()) claims.emplace();
  while (!status || !claims) {
    ClientReply reply = line.await_answer();
    if (auto* some = std::get_if<Status>(&reply)) status = std::move(*some);
    if (auto* some = std::get_if<Claims>(&reply)) claims = std::move(*some);
  }
  return {std::move(*status), std::move(*claims)};
}

GroupAnswer ask_group(const std::string& group) {
  Time begun = net::steady_now();
  try {
    return ask_group_through(PeerLine::to_anybody(group));
  } catch (const Error&) {
    // The peer of a short command may end just after it was found; then another one answers.
    if (net::steady_now() - begun > std::chrono::seconds(1)) throw;
  }
  return ask_group_through(PeerLine::to_anybody(group));
}

/// The member whose id begins with this prefix.
NodeId member_named(const Status& status, const std::string& prefix) {
  std::vector<NodeId> found;
  for (const Member& member : status.view.roster)
    if (id_text(member.id).starts_with(prefix)) found.push_back(member.id);
  if (found.size() == 1) return found.front();
  throw Error(fmt::format("{} member whose id begins with '{}'; `conch status` lists them",
                          found.empty() ? "there is no" : "there is more than one", prefix));
}

std::string holders_of(const std::string& lock, const GroupAnswer& answer) {
  std::string text = holders_text(answer.claims, lock);
  if (!text.empty()) return text;
  auto locks = locks_of(answer.status);
  auto found = locks.find(lock);
  return found == locks.end() ? "" : parts_text(found->second.holders);
}

/// Says who holds the lock, as far as the members know. Throws Error if none of them knows the
/// lock.
std::string state_of(const std::string& lock, const GroupAnswer& answer) {
  check_lock_name(lock);
  std::string holders = holders_of(lock, answer);
  if (!holders.empty()) return "was held by " + holders;
  const recovery::Roster& roster = answer.status.view.roster;
  auto silent = std::count_if(roster.begin(), roster.end(), [&](const Member& member) {
    return part_of(answer.status, member) == nullptr;
  });
  if (silent > 0)
    return fmt::format("was held by none of the members that answered; {} did not answer", silent);
  if (parse_overlay_settings(answer.status.view.algorithm))
    return "was held by no peer that is known here";
  if (locks_of(answer.status).contains(lock)) return "was free";
  throw Error(
      fmt::format("there is no lock {} in the group '{}': nobody holds it or waits for it, so "
                  "nothing was forced; `conch status` lists the locks in use",
                  lock, answer.status.group));
}

}  // namespace

void add_status_command(CLI::App& app, Invocation&) {
  CLI::App* command = app.add_subcommand(
      "status", "Show members, leases, locks, holders and waiters; asks a peer of this machine");
  auto group = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("--group", *group, "Group name (default: $CONCH_GROUP, else `default`)");
  command->add_flag("--json", *json, "Print one JSON object");
  command->callback([group, json] {
    auto [status, claims] = ask_group(group_named(*group));
    if (*json) return fmt::print("{}\n", json_text(status, claims));
    print_text(status);
    print_processes(claims);
  });
}

void add_evict_command(CLI::App& app, Invocation&) {
  CLI::App* command = app.add_subcommand(
      "evict", "Remove a member from the group; it loses its locks, and is told so");
  auto group = std::make_shared<std::string>();
  auto member = std::make_shared<std::string>();
  command->add_option("MEMBER", *member, "Member id, or its first digits")->required();
  command->add_option("--group", *group, "Group name (default: $CONCH_GROUP, else `default`)");
  auto now = std::make_shared<bool>(false);
  command->add_flag("--now", *now, "Do not wait for the commands that run under its locks");
  command->callback([group, member, now] {
    std::string name = group_named(*group);
    NodeId id = member_named(ask_group(name).status, *member);
    PeerLine line = PeerLine::to_another(name, id);  // No peer evicts itself.
    *now ? line.ask(EvictNow{id}) : line.ask(Evict{id});
    fmt::print("{} is out. If it is alive, it comes back as a new member.\n", id_text(id));
  });
}

void add_unlock_command(CLI::App& app, Invocation&) {
  CLI::App* command = app.add_subcommand(
      "unlock", "Take a lock from its holder, which is told so; the next waiter gets it");
  auto group = std::make_shared<std::string>();
  auto lock = std::make_shared<std::string>();
  auto force = std::make_shared<bool>(false);
  auto yes = std::make_shared<bool>(false);
  command->add_option("LOCK", *lock, "Lock name")->required();
  command->add_option("--group", *group, "Group name (default: $CONCH_GROUP, else `default`)");
  command->add_flag("--force", *force, "Required: the holder may be in the middle of something");
  command->add_flag("--yes", *yes, "Required: there is no prompt");
  auto now = std::make_shared<bool>(false);
  command->add_flag("--now", *now, "Do not wait for the command that runs under it");
  command->callback([group, lock, force, yes, now] {
    if (!*force || !*yes)
      throw Error(
          "the holder may be in the middle of something, and only a check of its fence stops what "
          "it does afterwards; if you are sure: conch unlock --force " +
          *lock + " --yes");
    std::string name = group_named(*group);
    std::string before = state_of(*lock, ask_group(name));
    PeerLine line = PeerLine::to_anybody(name);
    *now ? line.ask(ForceOpenNow{*lock}) : line.ask(ForceOpen{*lock});
    fmt::print("{} {}. It is open now, for the next in the queue.\n", *lock, before);
  });
}

}  // namespace conch::cli
