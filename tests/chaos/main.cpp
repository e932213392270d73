// `./dev chaos` runs peers at several sites, and injects every kind of fault.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>

#include "chaos/algorithms.hpp"
#include "chaos/run.hpp"
#include "net/scratch_folder.hpp"
#include "register/testing/etcd_cluster.hpp"

namespace {

using namespace conch;
using namespace conch::chaos;

constexpr std::size_t handovers_measured = 20;
constexpr unsigned lease_ms_with_files = 1000;
constexpr unsigned lease_ms_with_etcd = 2000;

std::atomic<bool> is_cancelled = false;

struct Options {
  double seconds = 60;
  std::string algorithm = "naimi-trehel";
  std::string register_kind = "file";
  std::uint64_t seed = 1;
  /// 0 for the default of the register.
  unsigned lease_ms = 0;
  std::string plant;
  std::string measure;
  std::vector<std::string> only;
  bool is_planted = false;
  bool is_quiet = false;
  bool is_kept = false;

  bool has_etcd() const { return register_kind == "etcd"; }
};

const std::vector<std::string> plants{"lease", "old-epochs", "fences"};

Kind kind_named(const std::string& name) {
  for (std::size_t kind = 0; kind < kinds; ++kind)
    if (word(static_cast<Kind>(kind)) == name) return static_cast<Kind>(kind);
  throw std::runtime_error("--only: unknown fault '" + name + "'; see --help");
}

/// A group without a register promises less: nothing during a partition, and little when several
/// neighbours fail at once.
std::set<Kind> kinds_of(const Options& options) {
  if (!options.only.empty()) {
    std::set<Kind> chosen;
    for (const std::string& name : options.only) chosen.insert(kind_named(name));
    if (chosen.contains(Kind::kill_etcd) && !options.has_etcd())
      throw std::runtime_error("--only kill-etcd needs --register etcd");
    return chosen;
  }
  if (!options.measure.empty()) return {Kind::kill};
  if (options.algorithm == "end-to-end")
    return {Kind::kill,      Kind::stop,         Kind::leave,
            Kind::bad_lines, Kind::narrow_lines, Kind::set_clock};
  std::set<Kind> all;
  for (std::size_t kind = 0; kind < kinds; ++kind) all.insert(static_cast<Kind>(kind));
  if (!options.has_etcd()) all.erase(Kind::kill_etcd);
  return all;
}

RunOptions run_of(const Options& options, const std::string& folder) {
  RunOptions run;
  run.group.algorithm = options.algorithm;
  run.group.lease = std::chrono::milliseconds(options.lease_ms);
  run.group.plant = options.plant;
  run.group.has_etcd = options.has_etcd();
  run.seed = options.seed;
  run.lasts = std::chrono::milliseconds(static_cast<long>(options.seconds * 1000));
  run.kinds = kinds_of(options);
  run.folder = folder;
  bool takes_its_time = options.algorithm == "end-to-end" || !options.measure.empty();
  if (takes_its_time) run.pause = 3 * run.group.lease;
  run.ends_when_wrong = !options.plant.empty();
  if (options.measure == "handover") run.holders_to_hit = handovers_measured;
  return run;
}

std::string command_of(const Options& options) {
  std::string text =
      fmt::format("./dev chaos --seconds {:g} --algorithm {} --seed {} --lease {}", options.seconds,
                  options.algorithm, options.seed, options.lease_ms);
  if (options.has_etcd()) text += " --register etcd";
  for (const std::string& kind : options.only) text += " --only " + kind;
  if (!options.plant.empty()) text += " --plant " + options.plant;
  return text;
}

void print(const ::chaos::Verdict& verdict) {
  std::string faults;
  for (const auto& [kind, count] : verdict.faults) faults += fmt::format(" {} {}", count, kind);
  fmt::print("faults           {}\n", faults);
  fmt::print("entries           {}, {} handovers, {} gave up\n", verdict.entries, verdict.handovers,
             verdict.gave_up);
  fmt::print("                  {} by peers that were cut off just then\n",
             verdict.entries_while_hit);
  fmt::print("late writes       {} refused\n", verdict.refused);
  fmt::print("put out           {} times\n", verdict.put_out);
  fmt::print("data              {} found as promised, {} lost with several at once\n",
             verdict.data_found, verdict.data_excused);
  fmt::print("clock steps       {} seen\n", verdict.clock_steps);
  std::vector<double> recoveries = verdict.recoveries_seconds;
  std::sort(recoveries.begin(), recoveries.end());
  if (!recoveries.empty())
    fmt::print(
        "a holder was hit  {} times; the next one was in after {:.3f} s, median, and {:.3f} s "
        "at worst\n",
        recoveries.size(), recoveries[recoveries.size() / 2], recoveries.back());
  constexpr std::size_t shown_max = 20;
  for (std::size_t i = 0; i < std::min(shown_max, verdict.complaints.size()); ++i)
    fmt::print("WRONG: {}\n", verdict.complaints[i]);
  if (verdict.complaints.size() > shown_max)
    fmt::print("... and {} more\n", verdict.complaints.size() - shown_max);
}

::chaos::Verdict run(const Options& options, const ScratchFolder& folder) {
  Run run(run_of(options, folder.path()), is_cancelled, [&](const std::string& line) {
    if (!options.is_quiet) fmt::print("{}\n", line);
    std::fflush(stdout);
  });
  return run.go();
}

int go(const Options& options) {
  ScratchFolder folder;
  ::chaos::Verdict verdict = run(options, folder);
  print(verdict);
  if (is_cancelled) return fmt::print("cancelled\n"), 130;
  if (!verdict.is_good() || options.is_kept) {
    folder.keep();
    fmt::print("logs, traces and the history are in {}\n", folder.path());
  }
  if (verdict.is_good()) return fmt::print("pass: {}\n", command_of(options)), 0;
  fmt::print("FAIL: {}\n", command_of(options));
  return 1;
}

int measure_handover(const Options& options) {
  ScratchFolder folder;
  std::vector<double> all = run(options, folder).recoveries_seconds;
  if (is_cancelled) return fmt::print("cancelled\n"), 130;
  all.resize(std::min(all.size(), handovers_measured));  // one kill may hit several locks
  std::sort(all.begin(), all.end());
  fmt::print("from kill -9 of a holder to the next entry, between sites, in seconds:\n");
  for (double seconds : all) fmt::print(" {:.3f}", seconds);
  if (all.size() < handovers_measured)
    return fmt::print("\nFAIL: only {} holders were hit\n", all.size()), 1;
  double median = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  double most = options.lease_ms / 1000.0 + 0.5;
  bool is_good = median <= most;
  fmt::print("\n{}: the median of {} is {:.3f} s; the lease and half a second are {:.3f} s\n",
             is_good ? "pass" : "FAIL", all.size(), median, most);
  return is_good ? 0 : 1;
}

/// Whether one of a few seeds finds the bug.
bool is_caught(Options options) {
  constexpr std::uint64_t seeds = 16;
  for (std::uint64_t last = options.seed + seeds; options.seed < last; ++options.seed) {
    ScratchFolder folder;
    ::chaos::Verdict verdict = run(options, folder);
    if (is_cancelled) return false;
    if (verdict.is_good()) continue;
    if (verdict.in_history == 0) {  // the group may not have begun; that finds nothing
      fmt::print("{}: seed {} fails for another reason; {}\n", options.plant, options.seed,
                 verdict.complaints.front());
      continue;
    }
    fmt::print("{}: caught; {}\n  again: {}\n", options.plant, verdict.complaints.front(),
               command_of(options));
    return true;
  }
  fmt::print("{}: NOT caught with {} seeds\n", options.plant, seeds);
  return false;
}

int catch_all(Options options) {
  bool all = true;
  for (const std::string& plant : options.plant.empty() ? plants : std::vector{options.plant}) {
    options.plant = plant;
    all = is_caught(options) && all;
  }
  if (is_cancelled) return fmt::print("cancelled\n"), 130;
  fmt::print("{}\n", all ? "pass: every planted bug was caught" : "FAIL: a bug was not caught");
  return all ? 0 : 1;
}

void expect_sense(const Options& options) {
  if (options.has_etcd() && options.algorithm == "end-to-end")
    throw std::runtime_error("end-to-end has no register: leave out --register");
  if (options.has_etcd() && !options.measure.empty())
    throw std::runtime_error(
        "--measure is for deaths that no neighbour sees: leave out --register etcd");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Run peers at several sites, and inject everything that can go wrong.", "chaos");
  app.add_option("--seconds", options.seconds, "duration of the faults");
  app.add_option("--algorithm", options.algorithm)->check(CLI::IsMember(algorithms));
  app.add_option("--register", options.register_kind,
                 "`file`: at the first site; `etcd`: a cluster with a member at each")
      ->check(CLI::IsMember({"file", "etcd"}));
  app.add_option("--seed", options.seed, "seed of the faults and their times");
  app.add_option("--lease", options.lease_ms,
                 fmt::format("lease in milliseconds (default: {}; {} with etcd, which may take a "
                             "second to elect a leader)",
                             lease_ms_with_files, lease_ms_with_etcd));
  std::string words;
  for (std::size_t kind = 0; kind < kinds; ++kind)
    words += (kind > 0 ? ", " : "") + std::string(word(static_cast<Kind>(kind)));
  app.add_option("--only", options.only, "inject only these faults, of " + words);
  app.add_option("--plant", options.plant, "plant this bug in the peers, which must be found")
      ->check(CLI::IsMember(plants));
  app.add_flag("--planted", options.is_planted,
               "try every such bug, or that of --plant, with a few seeds");
  app.add_option("--measure", options.measure,
                 "`handover`: time from the death of a holder to the next entry")
      ->check(CLI::IsMember({"handover"}));
  app.add_flag("--keep", options.is_kept,
               "keep logs, traces and the history even if the run passes");
  app.add_flag("--quiet", options.is_quiet, "do not print the faults");
  CLI11_PARSE(app, argc, argv);
  if (auto missing = rig::missing_for_sites()) {
    fmt::print("{}\n", *missing);
    return 77;
  }
  if (std::string why = why_no_etcd(); options.has_etcd() && !why.empty()) {
    fmt::print("{}\n", why);
    return 77;
  }
  if (options.lease_ms == 0)
    options.lease_ms = options.has_etcd() ? lease_ms_with_etcd : lease_ms_with_files;
  std::signal(SIGINT, [](int) { is_cancelled = true; });
  std::signal(SIGTERM, [](int) { is_cancelled = true; });
  try {
    expect_sense(options);
    if (options.measure == "handover") return measure_handover(options);
    return options.is_planted ? catch_all(options) : go(options);
  } catch (const std::exception& error) {
    fmt::print("FAIL: {}\n", error.what());
    return 1;
  }
}
