// conch trace check: what live peers wrote down, before the oracles of the simulator.
#include <fmt/core.h>

#include <fstream>
#include <list>

#include "audit/audit.hpp"
#include "cli/commands.hpp"
#include "core/text.hpp"

namespace conch::cli {
namespace {

using audit::Docket;
using audit::Exhibit;
using audit::TraceStream;
using audit::Violation;

/// `1 peer`, `2 peers`.
std::string count_of(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void print_violations(const Docket& docket, const std::vector<std::string>& files) {
  for (const Violation& violation : docket.violations) {
    fmt::print("{} broken: {}\n", word(violation.property), violation.what);
    for (const Exhibit& exhibit : violation.exhibits)
      fmt::print("  {}:{}: {}\n", files[exhibit.place.stream], exhibit.place.line, exhibit.says);
  }
  std::uint64_t more = docket.violation_count - docket.violations.size();
  if (more > 0) fmt::print("... and {} more\n", more);
}

void print_summary(const Docket& docket) {
  double seconds = static_cast<double>(docket.end - docket.begin) * 1e-9;
  fmt::print("{}, {}, {} in {:.3g} s\n", count_of(docket.peers, "peer", "peers"),
             count_of(docket.locks, "lock", "locks"), count_of(docket.events, "event", "events"),
             seconds);
  fmt::print("  entries     {}, of which {} after another peer's\n", docket.entries,
             docket.handovers);
  fmt::print("  messages    {}\n", docket.messages);
  fmt::print("  epochs      {}; {}, {} lost, {} taken from peers that were out\n", docket.epochs,
             count_of(docket.suspicions, "suspicion", "suspicions"),
             count_of(docket.losses, "hold", "holds"), docket.revoked);
}

/// What the traces do not tell.
void print_caveats(const Docket& docket) {
  if (docket.killed > 0)
    fmt::print("  {} without an end: killed, or still running\n",
               count_of(docket.killed, "trace", "traces"));
  if (docket.unfinished > 0)
    fmt::print("  {} at the end of a trace, left out\n",
               count_of(docket.unfinished, "unfinished line", "unfinished lines"));
  if (docket.gaps > 0)
    fmt::print("  {}: what happened there was not checked\n", count_of(docket.gaps, "gap", "gaps"));
  if (docket.strangers > 0)
    fmt::print("  {} took part whose trace was not given\n",
               count_of(docket.strangers, "peer", "peers"));
  if (docket.unseen > 0)
    fmt::print("  {} received of which no trace has the sending\n",
               count_of(docket.unseen, "message", "messages"));
  if (docket.unordered > 0)
    fmt::print("  {} of which no trace tells what was before\n",
               count_of(docket.unordered, "entry", "entries"));
}

Exit verdict(const Docket& docket, const std::vector<std::string>& files) {
  print_violations(docket, files);
  print_summary(docket);
  print_caveats(docket);
  fmt::print("{}\n", count_of(docket.violation_count, "violation", "violations"));
  std::fflush(stdout);
  if (docket.violation_count > 0) return Exit::safety_broken;
  if (docket.entries > 0) return Exit::held;
  fmt::print(stderr, "conch: nothing to check: nobody entered a lock\n");
  return Exit::bad_usage;
}

Exit check(const std::vector<std::string>& files) {
  std::list<std::ifstream> inputs;
  std::list<TraceStream> streams;
  std::vector<TraceStream*> pointers;
  for (const std::string& file : files) {
    std::ifstream& input = inputs.emplace_back(file, std::ios::binary);
    if (!input) throw BadText(file + " cannot be read");
    pointers.push_back(&streams.emplace_back(input, file));
  }
  return verdict(audit::Audit(std::move(pointers)).run(), files);
}

}  // namespace

void add_trace_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("trace", "Look at what peers wrote down with --trace");
  command->require_subcommand(1);
  CLI::App* checks = command->add_subcommand(
      "check", "Merge the traces of a group's peers and put them before the simulator's oracles");
  auto files = std::make_shared<std::vector<std::string>>();
  checks->add_option("FILE", *files, "One for each peer, or that of one simulated run")->required();
  checks->footer(
      "Exit status: 0 all properties held, 1 bad usage, no trace or nothing to check, 2 a safety\n"
      "property broke. Example:\n"
      "  conch trace check a.ndjson b.ndjson");
  checks->callback([files, &invocation] { invocation.exit = check(*files); });
}

}  // namespace conch::cli
