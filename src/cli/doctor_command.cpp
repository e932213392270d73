// `conch doctor`: reports what would keep a peer from working here.
#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/doctor.hpp"
#include "cli/peer_options.hpp"

namespace conch::cli {
namespace {

std::string_view word(Diagnosis::How how) {
  switch (how) {
    case Diagnosis::How::good: return "ok";
    case Diagnosis::How::doubtful: return "warn";
    case Diagnosis::How::bad: return "error";
  }
  return "";
}

void run_doctor(const PeerOptions& options, bool accept_restored, Invocation& invocation) {
  unsigned doubtful = 0;
  unsigned bad = 0;
  Doctor doctor(options, [&](const Diagnosis& finding) {
    fmt::print("{:<5} {}\n", word(finding.how), finding.what);
    std::fflush(stdout);
    if (finding.how == Diagnosis::How::doubtful) ++doubtful;
    if (finding.how == Diagnosis::How::bad) ++bad;
  });
  if (accept_restored) doctor.accept_restored();
  doctor.look();
  fmt::print("{} error{}, {} warning{}\n", bad, bad == 1 ? "" : "s", doubtful,
             doubtful == 1 ? "" : "s");
  if (bad > 0) invocation.exit = Exit::bad_usage;
}

}  // namespace

void add_doctor_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Check for whatever would keep a peer with these options from working here; changes nothing");
  auto options = std::make_shared<PeerOptions>();
  auto accept_restored = std::make_shared<bool>(false);
  add_reach_options(*command, *options);
  command->add_flag(
      "--accept-restored", *accept_restored,
      "Accept that etcd was restored from a backup: let the group go on with what etcd has");
  command->callback([=, &invocation] { run_doctor(*options, *accept_restored, invocation); });
}

}  // namespace conch::cli
