#include "lab_cli/option_table.hpp"

#include <algorithm>
#include <vector>

#include "lab_cli/sim_options.hpp"

namespace conch::lab_cli {

namespace {

/// An algorithm to run, and for a check, whether its group recovers.
struct Run {
  const CatalogEntry& entry;
  bool recovery = false;

  bool elects() const { return entry.can.elects; }
  bool routed() const { return entry.can.routed; }
};

/// Options separated by spaces, the runs that take them, and what other runs lack. If `lack` is
/// empty, the message names the family of the algorithm instead.
struct Row {
  std::string_view options;
  bool (*taken)(const Run& run);
  std::string_view lack = "";

  bool names(std::string_view option) const {
    for (std::string_view rest = options; !rest.empty();) {
      std::size_t end = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, end) == option) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
  }
};

std::string_view family_of(const Run& run) {
  if (run.elects()) return "is an election: it has no waiters or holders, and loses no messages";
  return run.routed() ? "runs over an overlay: --weather says what goes wrong" : "does not take it";
}

/// Whether the run's class is one of these. A preset has the class of its algorithm.
template <class... Names>
bool is_any(const Run& run, Names... names) {
  return ((run.entry.algorithm == names) || ...);
}

bool all(const Run&) { return true; }
bool elects(const Run& run) { return run.elects(); }
bool routed(const Run& run) { return run.routed(); }
bool among_members(const Run& run) { return !run.elects() && !run.routed(); }

constexpr auto view_options = "--view --view-out --view-at --view-open --view-insecure";

// If an option is in several rows, all of them must accept the run.

const std::vector<Row> tuning_rows{
    {"--voting", [](const Run& run) { return is_any(run, "maekawa", "maekawa-textbook"); },
     "has no voting sets"},
    {"--order --balance", [](const Run& run) { return is_any(run, "elmp"); },
     "has no tree to balance"},
    {"--eps", [](const Run& run) { return run.entry.about.has_eps; },
     "lets no nearby request overtake a distant one"},
};

const std::vector<Row> sim_rows{
    {"--help algorithm --nodes --seed --seeds --threads --json --trace --states", all},
    {view_options, all},
    {"--latency --channel --clog --crash --detect", [](const Run& run) { return !run.routed(); }},
    {"--clusters --sites --local-latency --remote-latency --site-latency --bandwidth --link",
     among_members},
    {"--requests", [](const Run& run) { return !run.elects(); }},
    {"--hold --think --readers --ranges --cancel --churn --chatter --check-visits", among_members},
    {"--lose --duplicate --drop --drift --pause --partition --partition-one-way --suspect --storm",
     among_members},
    {"--check-order", among_members},
    {"--check-order", [](const Run& run) { return run.entry.about.promises_order; },
     "does not promise ME3"},
    {"--starts --spread --retires --crashes --restarts --answer-timeout --coordinator-timeout",
     elects, "is not an election"},
    {"--crash --crashes --restarts --detect",
     [](const Run& run) { return !run.elects() || run.entry.can.restarts; },
     "assumes that no process crashes"},
    {"--answer-timeout --coordinator-timeout", [](const Run& run) { return run.entry.can.timed; },
     "has no timeouts"},
    {"--dht --weather --apart --mishaps --replicas --without --hand-off --retry", routed,
     "does not run over an overlay"},
    {"--hand-off", [](const Run& run) { return is_any(run, "end-to-end"); },
     "has no token to hand off"},
    {"--retry", [](const Run& run) { return is_any(run, "sigma", "non-end-to-end"); },
     "does not retry by itself"},
};

const std::vector<Row> check_rows{
    {"--help algorithm --nodes --requests --crash --recovery --threads --memory --json", all},
    {"--channel --full --out --trace --requesters", [](const Run& run) { return !run.recovery; },
     "is checked with --recovery, which does not support it"},
    {view_options, [](const Run& run) { return !run.recovery; },
     "is checked with --recovery, which does not support it"},
    {"--skip-livelock", [](const Run& run) { return !run.recovery && !run.routed(); },
     "is not searched for cycles"},
    {"--cancel --leave --join --suspect", [](const Run& run) { return !run.elects(); }},
    {"--readers --duplicate --lose --detect", [](const Run& run) { return !run.elects(); }},
    {"--readers --duplicate --lose --detect", [](const Run& run) { return !run.recovery; },
     "is checked with --recovery, which does not support it"},
    {"--clusters", [](const Run& run) { return run.entry.about.minds_clusters; },
     "makes no use of clusters"},
    {"--sites", [](const Run& run) { return run.entry.about.minds_clusters && !run.recovery; },
     "makes no use of sites"},
    {"--replicas --timers", routed, "does not run over an overlay"},
    {"--retire", elects, "is not an election"},
    {"--restart", [](const Run& run) { return run.elects() || run.recovery; },
     "is not an election"},
    {"--pause --usurp --without", [](const Run& run) { return run.recovery; },
     "is checked without --recovery"},
};

/// Lists the algorithms that take an option, if there are few.
std::string takers_of(const std::vector<Row>& rows, bool recovery) {
  constexpr std::size_t few = 6;
  std::vector<std::string> names;
  for (std::span<const CatalogEntry> family : {catalog(), elections(), protocols()})
    for (const CatalogEntry& entry : family)
      if (entry.about.is_sound() && std::ranges::all_of(rows, [&](const Row& row) {
            return row.taken({entry, recovery});
          }))
        names.emplace_back(entry.about.name);
  if (names.empty() || names.size() > few) return "";
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "; " : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text + (names.size() == 1 ? " takes it" : " take it");
}

/// Every option must be in a table above; aborts if this one is not.
std::vector<Row> rows_of(std::string_view option, const std::vector<Row>& rows) {
  std::vector<Row> list;
  for (const std::vector<Row>* some : {&rows, &tuning_rows})
    for (const Row& row : *some)
      if (row.names(option)) list.push_back(row);
  CONCH_EXPECT(!list.empty(), "every option is in a table");
  return list;
}

void refuse(const CLI::App& command, const Run& run, const std::vector<Row>& all_rows) {
  for (const CLI::Option* option : command.get_options()) {
    std::string name = name_of(*option);
    std::vector<Row> rows = rows_of(name, all_rows);
    auto missed = std::ranges::find_if(rows, [&](const Row& row) { return !row.taken(run); });
    if (option->count() == 0 || missed == rows.end()) continue;
    std::string_view lack = missed->lack.empty() ? family_of(run) : missed->lack;
    throw BadText(name + ": " + std::string(run.entry.about.name) + " " + std::string(lack) +
                  takers_of(rows, run.recovery));
  }
}

}  // namespace

void refuse_needless_sim_options(const CLI::App& command, const CatalogEntry& entry) {
  refuse(command, {entry}, sim_rows);
}

void refuse_needless_check_options(const CLI::App& command, const CatalogEntry& entry,
                                   bool recovery) {
  refuse(command, {entry, recovery}, check_rows);
}

}  // namespace conch::lab_cli
