// conch doctor: what would keep a peer from working here.
#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/doctor.hpp"
#include "cli/peer_options.hpp"

namespace conch::cli {
namespace {

std::string_view word(Finding::How how) {
  switch (how) {
    case Finding::How::good: return "ok";
    case Finding::How::doubtful: return "mind";
    case Finding::How::bad: return "bad";
  }
  return "";
}

void run_doctor(const PeerOptions& options, bool accept_restored, Invocation& invocation) {
  unsigned doubtful = 0;
  unsigned bad = 0;
  Doctor doctor(options, [&](const Finding& finding) {
    fmt::print("{:<5} {}\n", word(finding.how), finding.what);
    std::fflush(stdout);
    if (finding.how == Finding::How::doubtful) ++doubtful;
    if (finding.how == Finding::How::bad) ++bad;
  });
  if (accept_restored) doctor.accept_restored();
  doctor.look();
  fmt::print("{} to mend, {} to mind\n", bad, doubtful);
  if (bad > 0) invocation.exit = Exit::bad_usage;
}

}  // namespace

void add_doctor_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Look what would keep a peer with these options from working here; looking changes nothing");
  auto options = std::make_shared<PeerOptions>();
  auto accept_restored = std::make_shared<bool>(false);
  add_reach_options(*command, *options);
  command->add_flag("--accept-restored", *accept_restored,
                    "etcd was restored from a backup, and the group is to go on with what it has");
  command->callback([=, &invocation] { run_doctor(*options, *accept_restored, invocation); });
}

}  // namespace conch::cli
