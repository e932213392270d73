// `conch trace check`: checks the traces of live peers with the simulator's oracles.
#include <fmt/core.h>

#include <fstream>
#include <list>

#include "audit/audit.hpp"
#include "cli/commands.hpp"
#include "core/text.hpp"

namespace conch::cli {
namespace {

using audit::Evidence;
using audit::TraceReport;
using audit::TraceStream;
using audit::TraceViolation;

/// Formats as `1 peer` or `2 peers`.
std::string count_of(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void print_violations(const TraceReport& trace_report, const std::vector<std::string>& files) {
  for (const TraceViolation& violation : trace_report.violations) {
    fmt::print("{} broken: {}\n", word(violation.property), violation.what);
    for (const Evidence& exhibit : violation.exhibits)
      fmt::print("  {}:{}: {}\n", files[exhibit.place.stream], exhibit.place.line, exhibit.says);
  }
  std::uint64_t more = trace_report.violation_count - trace_report.violations.size();
  if (more > 0) fmt::print("... and {} more\n", more);
}

void print_summary(const TraceReport& trace_report) {
  double seconds = static_cast<double>(trace_report.end - trace_report.begin) * 1e-9;
  fmt::print("{}, {}, {} in {:.3g} s\n", count_of(trace_report.peers, "peer", "peers"),
             count_of(trace_report.locks, "lock", "locks"),
             count_of(trace_report.events, "event", "events"), seconds);
  fmt::print("  entries     {}, of which {} after another peer's\n", trace_report.entries,
             trace_report.handovers);
  fmt::print("  messages    {}\n", trace_report.messages);
  fmt::print("  epochs      {}; {}, {} lost, {} taken from peers that were out\n",
             trace_report.epochs, count_of(trace_report.suspicions, "suspicion", "suspicions"),
             count_of(trace_report.losses, "hold", "holds"), trace_report.revoked);
}

/// Prints what the traces do not cover.
void print_caveats(const TraceReport& trace_report) {
  if (trace_report.killed > 0)
    fmt::print("  {} without an end: killed, or still running\n",
               count_of(trace_report.killed, "trace", "traces"));
  if (trace_report.unfinished > 0)
    fmt::print("  {} at the end of a trace, left out\n",
               count_of(trace_report.unfinished, "unfinished line", "unfinished lines"));
  if (trace_report.gaps > 0)
    fmt::print("  {}: what happened there was not checked\n",
               count_of(trace_report.gaps, "gap", "gaps"));
  if (trace_report.strangers > 0)
    fmt::print("  {} took part without a trace given here\n",
               count_of(trace_report.strangers, "peer", "peers"));
  if (trace_report.unseen > 0)
    fmt::print("  {} received that no trace shows being sent\n",
               count_of(trace_report.unseen, "message", "messages"));
  if (trace_report.unordered > 0)
    fmt::print("  {} with nothing before them in any trace\n",
               count_of(trace_report.unordered, "entry", "entries"));
}

Exit verdict(const TraceReport& trace_report, const std::vector<std::string>& files) {
  print_violations(trace_report, files);
  print_summary(trace_report);
  print_caveats(trace_report);
  fmt::print("{}\n", count_of(trace_report.violation_count, "violation", "violations"));
  std::fflush(stdout);
  if (trace_report.violation_count > 0) return Exit::safety_broken;
  if (trace_report.entries > 0) return Exit::held;
  fmt::print(stderr, "conch: nothing to check: no peer entered a lock\n");
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
  CLI::App* command =
      app.add_subcommand("trace", "Examine the traces that peers wrote with --trace");
  command->require_subcommand(1);
  CLI::App* checks = command->add_subcommand(
      "check", "Merge the traces of a group's peers and check them with the simulator's oracles");
  auto files = std::make_shared<std::vector<std::string>>();
  checks->add_option("FILE", *files, "One trace per peer, or the trace of one simulated run")
      ->required();
  checks->footer(
      "Exit status: 0 all properties held, 1 bad usage, no trace or nothing to check, 2 a safety\n"
      "property broke. Example:\n"
      "  conch trace check a.ndjson b.ndjson");
  checks->callback([files, &invocation] { invocation.exit = check(*files); });
}

}  // namespace conch::cli
