#include "check/recovery_check.hpp"

#include "check/recovery_system.hpp"
#include "check/search.hpp"
#include "sim/distribution.hpp"

namespace conch::check::group {

std::string_view word(Sometimes sometimes) {
  switch (sometimes) {
    case Sometimes::told_at_freeze: return "a message of the old epoch in flight at a freeze";
    case Sometimes::early: return "a message of an epoch that has not begun";
    case Sometimes::refused: return "two proposals, of which one is refused";
    case Sometimes::decider_died: return "a decider crashes before it decides";
    case Sometimes::overlap: return "an epoch begins before the last one was installed";
    case Sometimes::late_holder: return "a holder wakes after it was put out";
    case Sometimes::kept: return "a holder keeps its lock from epoch to epoch";
    case Sometimes::released_while_frozen: return "a holder releases while it is frozen";
    case Sometimes::rolled_back: return "a holder is told that newer data are lost";
    case Sometimes::joined: return "a newcomer is admitted";
    case Sometimes::left: return "a member has left";
    case Sometimes::withdrawn: return "a request withdrawn";
  }
  return "?";
}

bool CheckReport::interesting() const {
  return std::all_of(sometimes.begin(), sometimes.end(),
                     [](const auto& each) { return each.second; });
}

namespace {

/// For each situation that these bounds should reach, whether `seen` contains it.
std::map<Sometimes, bool> expected(const Options& options, std::uint32_t seen) {
  std::map<Sometimes, bool> list;
  auto expect = [&](bool reachable, Sometimes sometimes) {
    if (reachable) list[sometimes] = (seen & bit(sometimes)) != 0;
  };
  auto may = [&](Budget budget) { return options.budget(budget) > 0; };
  const Setting& setting = options.setting;
  Node founders = setting.nodes - setting.newcomers;
  bool dynamic = find_algorithm(setting.algorithm).can.dynamic;
  // Peers that are dead when an epoch ends decide nothing; peers that join or leave by themselves
  // do.
  bool deaths = (may(Budget::crash) || may(Budget::pause)) && founders >= 2;
  bool moves = (may(Budget::leave) || may(Budget::usurp) || (may(Budget::join) && !dynamic)) &&
               founders >= 2;
  bool suspicions = may(Budget::suspect) && founders >= 2;
  bool returns = may(Budget::restart) && deaths;
  std::uint32_t three = may(Budget::leave) || may(Budget::usurp) ? 3 : 2;
  bool twice = options.budget(Budget::crash) + options.budget(Budget::pause) >= 2;
  expect((deaths && founders >= 3) || moves || suspicions, Sometimes::told_at_freeze);
  expect(((deaths || suspicions) && founders >= 4) || (moves && founders >= three) ||
             (returns && founders >= 3),
         Sometimes::early);
  expect(deaths && founders >= 3, Sometimes::refused);
  bool dies = may(Budget::crash) && (((twice || suspicions) && founders >= 3) || moves);
  expect(dies, Sometimes::decider_died);
  expect(dies, Sometimes::overlap);
  expect(may(Budget::pause) && founders >= 2, Sometimes::late_holder);
  expect(deaths || moves || suspicions, Sometimes::kept);
  expect((deaths && founders >= 3) || moves || suspicions, Sometimes::released_while_frozen);
  expect((may(Budget::usurp) || suspicions) && founders >= 2, Sometimes::rolled_back);
  expect(may(Budget::join), Sometimes::joined);
  expect(may(Budget::leave), Sometimes::left);
  expect(may(Budget::cancel) && founders >= 2, Sometimes::withdrawn);
  return list;
}

}  // namespace

Options complete(Options options) {
  const CatalogEntry& entry = find_algorithm(options.setting.algorithm);
  std::string name(entry.about.name);
  Setting& setting = options.setting;
  if (!entry.about.is_sound())
    throw BadText(name +
                  " is a specimen: it is not recovered, only checked by itself (conch check " +
                  name + ")");
  if (setting.requests < 1) throw BadText("--requests must be at least 1");
  setting.newcomers = options.budget(Budget::join);
  setting.lives = 1 + options.budget(Budget::restart) + options.budget(Budget::usurp);
  for (auto [budget, count] : options.budgets)
    if (count > budget_max)
      throw BadText("nothing can happen more than " + std::to_string(budget_max) + " times");
  if (setting.nodes < 1 || setting.slots() > slots_max)
    throw BadText("a group that recovers is explored up to " + std::to_string(slots_max) +
                  " lives: --nodes times one more than --restart and --usurp together");
  if (setting.newcomers > setting.nodes)
    throw BadText("--join: there are only " + std::to_string(setting.nodes) + " nodes");
  if (setting.tuning.voting == VotingSetShape::plane)
    throw BadText("--voting plane: a group that recovers has not always the right size for it");
  if (setting.tuning.order < 2 || setting.tuning.order > 8)
    throw BadText("--order: a tree's nodes have at most 2 to 8 children, not " +
                  std::to_string(setting.tuning.order));
  if (setting.without == Rule::roster && !entry.can.dynamic)
    throw BadText("only algorithms with dynamic membership have guests, for whom the rule is: " +
                  name + " has none");
  return options;
}

CheckReport check(const Options& given, const ProgressSink& progress) {
  Options options = complete(given);
  std::shared_ptr<Model> model =
      make_model(find_algorithm(options.setting.algorithm), options.setting, options.bytes_max);
  CheckReport report;
  Search<GroupSystem>(*model, options, progress).run(report);
  report.bytes = MemoryBudget::peak();
  report.sometimes = expected(options, report.seen);
  model->memory().lift();
  report.model = model;
  return report;
}

std::string describe_counterexample(const Options& given, const CheckReport& report) {
  Options options = complete(given);
  GroupSystem system(*report.model, options);
  State state = system.initial();
  std::string text;
  for (std::size_t i = 0; i < report.steps.size(); ++i) {
    std::string number = std::to_string(i + 1);
    text += std::string(4 - std::min<std::size_t>(4, number.size()), ' ') + number + ". " +
            system.headline(state, report.steps[i]) + "\n";
    std::vector<std::string> lines;
    StepResult taken;
    taken.lines = &lines;
    State before = state;
    system.take(before, report.steps[i], state, taken);
    for (const std::string& line : lines) text += "        " + line + "\n";
  }
  return text;
}

std::string command(const Options& options) {
  const Setting& setting = options.setting;
  std::string text = "check " + setting.algorithm + " --recovery --nodes " +
                     std::to_string(setting.nodes) + " --requests " +
                     std::to_string(setting.requests);
  for (auto [budget, count] : options.budgets)
    if (count > 0) text += " --" + std::string(word(budget)) + " " + std::to_string(count);
  if (setting.tuning.voting == VotingSetShape::grid) text += " --voting grid";
  if (setting.tuning.order != Tuning{}.order)
    text += " --order " + std::to_string(setting.tuning.order);
  if (setting.tuning.balance == Balance::lazy) text += " --balance lazy";
  if (setting.without != Rule::none) text += " --without " + std::string(word(setting.without));
  return text;
}

Options Specimen::options() const {
  Options options;
  options.setting.algorithm = algorithm;
  options.setting.nodes = nodes;
  options.setting.without = rule;
  options.budgets = budgets;
  return options;
}

const std::vector<Specimen>& specimens() {
  using sim::Property;
  static const std::vector<Specimen> list{
      {Rule::roster,
       "naimi-trehel",
       2,
       {{Budget::join, 1}, {Budget::crash, 1}},
       Property::progress},
      {Rule::old_epochs, "naimi-trehel", 2, {{Budget::crash, 1}}, Property::invariant},
      {Rule::new_epochs, "naimi-trehel", 3, {{Budget::leave, 1}}, Property::progress},
      {Rule::lease, "naimi-trehel", 2, {{Budget::pause, 1}}, Property::mutual_exclusion},
      {Rule::acceptance, "naimi-trehel", 3, {{Budget::crash, 1}}, Property::invariant},
      {Rule::incarnation, "naimi-trehel", 2, {{Budget::usurp, 1}}, Property::mutual_exclusion},
      {Rule::fences, "naimi-trehel", 2, {{Budget::crash, 1}}, Property::fences},
  };
  return list;
}

}  // namespace conch::check::group
