#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "check/check.hpp"
#include "check/counterexample.hpp"
#include "core/text.hpp"
#include "lab_cli/check_recovery.hpp"
#include "lab_cli/commands.hpp"
#include "lab_cli/option_table.hpp"
#include "lab_cli/runs.hpp"
#include "lab_cli/show.hpp"
#include "lab_cli/tuning_options.hpp"
#include "sim/options.hpp"
#include "sim/scenario.hpp"

namespace conch::lab_cli {
namespace {

using check::Budget;
std::atomic<bool> check_interrupted = false;
constexpr unsigned threads_max = 256;

struct CheckTexts {
  check::Options options;
  std::map<Budget, std::uint32_t> budgets;
  std::string channel = "auto";
  TuningTexts tuning;
  std::uint32_t memory_mib = 4096;
  bool full = false;
  bool skip_livelock = false;
  bool json = false;
  std::optional<std::string> out, trace;
  ShowTexts show;
  /// For a group that recovers.
  bool recovery = false;
  std::map<check::group::Budget, std::uint32_t> faults;
  std::optional<std::string> without;
  std::uint32_t timers = 1;
  std::optional<check::Node> requesters;
  unsigned replicas = 3;
  std::optional<std::string> clusters, sites;
};

/// Works for the settings of both kinds of check.
template <class Setting>
void read_clusters(const CheckTexts& texts, Setting& setting) {
  if (!texts.clusters) return;
  setting.clusters = sim::parse_clusters(*texts.clusters);
  setting.nodes = 0;
  for (check::Node size : setting.clusters) setting.nodes += size;
}

void read_choices(CheckTexts& texts) {
  check::Options& options = texts.options;
  const CatalogEntry& entry = find_any(options.setting.algorithm);
  if (texts.channel == "auto") {
    bool leaves = texts.budgets[Budget::leave] > 0;
    options.fifo = entry.about.needs_fifo || (leaves && entry.about.leave_needs_fifo);
  } else if (texts.channel == "fifo" || texts.channel == "any") {
    options.fifo = texts.channel == "fifo";
  } else {
    throw BadText("--channel: \"" + texts.channel + "\" is none of auto, fifo, any");
  }
  options.setting.tuning = to_tuning(texts.tuning, entry);
  read_clusters(texts, options.setting);
  if (texts.sites) options.setting.sites = sim::parse_clusters(*texts.sites);
  options.setting.requesters = texts.requesters.value_or(entry.can.routed ? 2 : check::nodes_max);
  options.budgets = texts.budgets;
  if (entry.can.routed) options.budgets[Budget::timer] = texts.timers;
  options.setting.tuning.replication.replicas = texts.replicas;
  options.setting.newcomers = texts.budgets[Budget::join];
  if (options.setting.newcomers >= options.setting.nodes)
    throw BadText("--join: at least one node must be a member already; give more --nodes");
  options.reduce = !texts.full;
  options.livelock = !texts.skip_livelock;
  options.bytes_max = std::size_t{texts.memory_mib} << 20;
  options.stop = &check_interrupted;
}

/// Prints sizes as in "2+1".
std::string sum_of(const std::vector<check::Node>& sizes) {
  std::string text;
  for (check::Node size : sizes) text += (text.empty() ? "" : "+") + std::to_string(size);
  return text;
}

std::string bounds(const check::Options& options) {
  const CatalogEntry& entry = find_any(options.setting.algorithm);
  std::string text =
      fmt::format("{} nodes, {} {}{} each, {} channels", options.setting.nodes,
                  options.setting.requests, entry.can.elects ? "start" : "request",
                  options.setting.requests == 1 ? "" : "s", options.fifo ? "FIFO" : "unordered");
  if (options.setting.requesters < options.setting.nodes)
    text += fmt::format(", of the first {}", options.setting.requesters);
  if (entry.can.routed)
    text += fmt::format(", {} replicas", options.setting.tuning.replication.replicas);
  if (entry.algorithm == "chang-roberts") text += ", every ring";
  if (!options.setting.clusters.empty())
    text += fmt::format(", clusters {}, eps {}", sum_of(options.setting.clusters),
                        options.setting.tuning.eps);
  if (!options.setting.sites.empty()) text += ", sites " + sum_of(options.setting.sites);
  if (options.setting.readers > 0)
    text += fmt::format(", {} of the nodes only read", options.setting.readers);
  const std::string_view names[] = {"cancels",       entry.can.elects ? "retirements" : "leaves",
                                    "joins",         "duplications",
                                    "lost messages", "crashes",
                                    "suspicions",    entry.can.routed ? "timers" : "restarts"};
  for (auto [budget, count] : options.budgets)
    if (count > 0) text += fmt::format(", {} up to {}", names[static_cast<int>(budget)], count);
  if (options.detect) text += ", all nodes being told";
  return text;
}

void show_progress(const check::SearchProgress& progress) {
  static auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print(stderr, "\r\033[K{} states, {:.0f}/s, depth {}, {} in the queue", progress.states,
             static_cast<double>(progress.states) / std::max(took.count(), 1e-3), progress.depth,
             progress.queue);
}

double bytes_per_state(const check::CheckReport& report) {
  return static_cast<double>(report.bytes) / static_cast<double>(report.states);
}

void print_json(const check::Options& options, const check::CheckReport& report) {
  nlohmann::ordered_json json;
  json["algorithm"] = options.setting.algorithm;
  json["bounds"] = bounds(options);
  json["states"] = report.states;
  json["transitions"] = report.transitions;
  json["depth"] = report.depth;
  json["seconds"] = report.seconds;
  json["livelock_seconds"] = report.livelock_seconds;
  json["bytes_per_state"] = bytes_per_state(report);
  json["contended"] = report.contended;
  json["complete"] = report.complete;
  if (!report.incomplete.empty()) json["incomplete"] = report.incomplete;
  json["violation"] = nullptr;
  if (report.violation)
    json["violation"] = {{"property", word(report.violation->property)},
                         {"what", report.violation->what},
                         {"steps", report.steps.size()}};
  json["sometimes"] = nlohmann::ordered_json::object();
  for (auto [sometimes, seen] : report.sometimes) json["sometimes"][word(sometimes)] = seen;
  fmt::print("{}\n", json.dump(2));
}

void print_text(const check::Options& options, const check::CheckReport& report) {
  fmt::print("{}: {}\n", options.setting.algorithm, bounds(options));
  fmt::print(
      "{} states, {} transitions, depth {}, {:.0f} bytes a state; {:.2f} s, and {:.2f} s "
      "for cycles\n",
      report.states, report.transitions, report.depth, bytes_per_state(report), report.seconds,
      report.livelock_seconds);
  for (auto [sometimes, seen] : report.sometimes)
    fmt::print("  {:<42} {}\n", word(sometimes), seen ? "seen" : "never seen");
  if (report.complete) fmt::print("complete: every interleaving within these bounds holds\n");
  if (!report.incomplete.empty()) fmt::print("{}\n", how_far(report));
}

void write_files(const CheckTexts& texts, const check::CheckReport& report) {
  auto open = [](const std::string& path) {
    std::ofstream file(path);
    if (!file) throw BadText("cannot write to " + path);
    return file;
  };
  if (texts.out) open(*texts.out) << check::to_scenario(texts.options, report);
  if (!texts.trace) return;
  std::ofstream file = open(*texts.trace);
  std::unique_ptr<sim::TraceSink> sink = sim::sink_for(*texts.trace, file);
  check::write_trace(texts.options, report, *sink);
}

Exit conclude(const CheckTexts& texts, const check::CheckReport& report) {
  if (report.violation) {
    fmt::print(stderr, "{} broken after {} steps: {}\n{}", word(report.violation->property),
               report.steps.size(), report.violation->what,
               check::describe_counterexample(texts.options, report));
    write_files(texts, report);
    if (texts.out) fmt::print(stderr, "  repeat: conch replay {}\n", *texts.out);
    return sim::is_safety(report.violation->property) ? Exit::safety_broken : Exit::liveness_broken;
  }
  if (report.complete && !report.interesting()) {
    fmt::print(stderr,
               "conch: something that should happen within these bounds never did; a run that "
               "never reaches it proves nothing\n");
    return Exit::bad_usage;
  }
  return report.complete ? Exit::held : Exit::bad_usage;
}

film::Builder film_of(const CheckTexts& texts, const check::CheckReport& report,
                      const Invocation& invocation) {
  const check::Setting& setting = texts.options.setting;
  film::RecordingInfo about{
      .title = fmt::format("{}: {}", setting.algorithm, report.violation->what),
      .command = command_without(invocation, {"--view-at", "--view-out"},
                                 {"--json", "--view", "--view-open", "--view-insecure"}),
      .algorithm = setting.algorithm,
      .family = std::string(film::family_of(setting.algorithm))};
  if (find_any(setting.algorithm).can.routed) {
    // The overlay of a scenario routes differently, so the film is made from the trace.
    sim::FilmSink sink(about, setting.nodes, {});
    check::write_trace(texts.options, report, sink);
    sink.violate(*report.violation);
    return std::move(sink.film());
  }
  film::Builder film =
      std::move(sim::film_of(check::to_scenario(texts.options, report), about).front());
  // A script shows only one round of a livelock, which breaks nothing yet; add the violation.
  if (film.violations() == 0)
    film.violation(word(report.violation->property), report.violation->what, {});
  return film;
}

/// Shows the counterexample, if there is one.
void show_film(const CheckTexts& texts, const check::CheckReport& report,
               const Invocation& invocation) {
  if (!texts.show.wanted()) return;
  if (!report.violation)
    return fmt::print(stderr, "no property is broken: there is nothing to show\n");
  show(film_of(texts, report, invocation), texts.show);
}

check::group::Options recovery_options(CheckTexts& texts) {
  namespace group = check::group;
  group::Options options;
  const check::Setting& setting = texts.options.setting;
  options.setting.algorithm = setting.algorithm;
  options.setting.nodes = setting.nodes;
  options.setting.requests = setting.requests;
  options.setting.tuning = to_tuning(texts.tuning, find_algorithm(setting.algorithm));
  read_clusters(texts, options.setting);
  if (texts.without) options.setting.without = to_rule(*texts.without);
  options.budgets = texts.faults;
  options.budgets[group::Budget::cancel] = texts.budgets[Budget::cancel];
  options.budgets[group::Budget::leave] = texts.budgets[Budget::leave];
  options.budgets[group::Budget::join] = texts.budgets[Budget::join];
  options.budgets[group::Budget::crash] = texts.budgets[Budget::crash];
  options.budgets[group::Budget::suspect] = texts.budgets[Budget::suspect];
  options.budgets[group::Budget::restart] = texts.budgets[Budget::restart];
  options.threads = texts.options.threads;
  options.bytes_max = std::size_t{texts.memory_mib} << 20;
  options.stop = &check_interrupted;
  return options;
}

/// A search needs 16 MiB more than what the process uses before it begins.
void refuse_too_little(std::uint32_t memory_mib) {
  std::size_t least_mib = (check::MemoryBudget::peak() >> 20) + 16;
  if (memory_mib < least_mib)
    throw BadText(fmt::format("--memory {}: a search needs at least {}", memory_mib, least_mib));
}

void run_check(CheckTexts& texts, Invocation& invocation) {
  refuse_too_little(texts.memory_mib);
  std::signal(SIGINT, [](int) { check_interrupted = true; });
  bool terminal = isatty(STDERR_FILENO) == 1;
  if (texts.recovery) {
    invocation.exit = check_recovery(recovery_options(texts), texts.json,
                                     terminal ? show_progress : check::ProgressSink{});
    return;
  }
  read_choices(texts);
  check::CheckReport report =
      check::check(texts.options, terminal ? show_progress : check::ProgressSink{});
  if (terminal) fmt::print(stderr, "\r\033[K");
  texts.json ? print_json(texts.options, report) : print_text(texts.options, report);
  std::fflush(stdout);
  invocation.exit = conclude(texts, report);
  show_film(texts, report, invocation);
}

}  // namespace

void add_check_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("check", "Explore every interleaving of a small system");
  auto texts = std::make_shared<CheckTexts>();
  check::Options& options = texts->options;
  options.threads = std::clamp(std::thread::hardware_concurrency(), 1U, threads_max);
  command->add_option("algorithm", options.setting.algorithm, "Algorithm; see conch algorithms")
      ->required();
  auto* nodes = command->add_option("--nodes", options.setting.nodes, "Number of nodes");
  nodes->capture_default_str();
  command->add_option("--clusters", texts->clusters, "Nodes in clusters instead: 2,1 or 2x2")
      ->excludes(nodes);
  command->add_option("--sites", texts->sites, "Number of clusters at each site: 1,1");
  command->add_option("--requests", options.setting.requests, "Requests per node")
      ->capture_default_str();
  command->add_option(
      "--requesters", texts->requesters,
      "Number of nodes that request (default: all; two for a protocol over an overlay)");
  command->add_option("--readers", options.setting.readers, "Number of nodes that only read")
      ->capture_default_str();
  command
      ->add_option("--replicas", texts->replicas,
                   "Replicas of the lock, for a protocol over an overlay")
      ->capture_default_str();
  command
      ->add_option("--channel", texts->channel,
                   "fifo, any, or auto: any where the algorithm allows it")
      ->capture_default_str();
  add_tuning_options(*command, texts->tuning, "");
  auto budget = [&](const char* name, Budget which, const char* what) {
    command->add_option(name, texts->budgets[which], what)
        ->group("Limits on what may happen")
        ->capture_default_str();
  };
  budget("--cancel", Budget::cancel, "Waiters that cancel");
  budget("--leave", Budget::leave, "Members that leave");
  budget("--join", Budget::join, "Nodes that start outside and join");
  budget("--duplicate", Budget::duplicate, "Messages delivered twice");
  budget("--lose", Budget::lose, "Messages lost");
  budget("--crash", Budget::crash, "Nodes that crash");
  budget("--suspect", Budget::suspect, "Crash reports and suspicions, right or wrong");
  command->add_flag("--detect", options.detect, "Report every crash to all nodes, and no other")
      ->group("Limits on what may happen");
  budget("--retire", Budget::retire, "Coordinators of an election that retire");
  budget("--restart", Budget::restart,
         "Crashed processes that restart, in an election or a group that recovers");
  command
      ->add_option(
          "--timers", texts->timers,
          "Timers that fire, for a protocol over an overlay, which would otherwise never end")
      ->group("Limits on what may happen")
      ->capture_default_str();
  auto fault = [&](const char* name, check::group::Budget which, const char* what) {
    command->add_option(name, texts->faults[which], what)
        ->group("A group that recovers")
        ->capture_default_str();
  };
  command
      ->add_flag("--recovery", texts->recovery, "Check a group with a register, leases and epochs")
      ->group("A group that recovers");
  fault("--pause", check::group::Budget::pause, "Processes that pause");
  fault("--usurp", check::group::Budget::usurp, "Processes that start under an id in use");
  command->add_option("--without", texts->without, "Leave out one rule of the recovery")
      ->group("A group that recovers");

  command->add_flag("--full", texts->full, "Explore every order of every step, without reduction");
  command->add_flag("--skip-livelock", texts->skip_livelock, "Do not look for cycles");
  command->add_option("--threads", options.threads, "Number of threads (default: all cores)")
      ->check(CLI::Range(1U, threads_max));
  command->add_option("--memory", texts->memory_mib, "Memory limit of the whole process, in MiB")
      ->capture_default_str();
  command->add_flag("--json", texts->json, "Print one JSON object");
  command->add_option("--out", texts->out, "Write a counterexample for conch replay");
  command->add_option("--trace", texts->trace, "Write a counterexample as .shiviz or .ndjson");
  add_show_options(*command, texts->show);
  command->footer(
      "Exit status: 0 all properties hold, 1 bad usage or not complete, 2 a safety property\n"
      "breaks, 3 a liveness property breaks. Examples:\n"
      "  conch check naimi-trehel --nodes 3 --requests 2\n"
      "  conch check naimi-trehel@idle-owner --nodes 2 --out bug.txt; conch replay bug.txt\n"
      "  conch check maekawa-textbook                    # deadlocks\n"
      "  conch check bully --nodes 3 --crash 1 --restart 1\n"
      "  conch check naimi-trehel --recovery --crash 1\n"
      "  conch check end-to-end\n"
      "  conch check sigma --channel fifo --timers 2");
  command->callback([texts, command, &invocation] {
    const CatalogEntry& entry = find_any(texts->options.setting.algorithm);
    if (entry.can.elects && texts->recovery)
      throw BadText(fmt::format("--recovery: {} is an election, and has no locks to recover",
                                entry.about.name));
    refuse_needless_check_options(*command, entry, texts->recovery);
    run_check(*texts, invocation);
  });
}

}  // namespace conch::lab_cli
