#include "lab_cli/tuning_options.hpp"

#include "core/text.hpp"

namespace conch::lab_cli {

namespace {

template <class T>
struct Choice {
  std::string_view name;
  T value;
};

template <class T>
void choose(const std::string& option, const std::optional<std::string>& text, T& into,
            const std::optional<T>& settled, const CatalogEntry& entry,
            std::initializer_list<Choice<T>> choices) {
  if (!text) return;
  std::string names;
  bool known = false;
  for (const Choice<T>& choice : choices) {
    if (*text == choice.name) {
      into = choice.value;
      known = true;
    }
    names += (names.empty() ? "" : ", ") + std::string(choice.name);
  }
  if (!known) throw BadText(option + ": \"" + *text + "\" is none of " + names);
  if (settled && *settled != into)
    throw BadText(option + ": " + std::string(entry.about.name) + " fixes it; " +
                  std::string(entry.algorithm) + " leaves it open");
}

}  // namespace

void add_tuning_options(CLI::App& command, TuningTexts& texts, const std::string& group) {
  auto add = [&](const char* name, auto& text, const char* what) {
    CLI::Option* option = command.add_option(name, text, what);
    if (!group.empty()) option->group(group);
  };
  add("--voting", texts.voting, "Maekawa's voting sets: grid, plane or auto [auto]");
  add("--order", texts.order, "ELMP's tree: largest number of children of a node, 2 to 8 [2]");
  add("--eps", texts.eps,
      "Preempt: how many nearby requests may overtake distant ones in a visit [0]");
  add("--balance", texts.balance, "How ELMP balances its tree: order (always) or lazy [order]");
}

Tuning to_tuning(const TuningTexts& texts, const CatalogEntry& entry) {
  Tuning tuning;
  choose<VotingSetShape>("--voting", texts.voting, tuning.voting, entry.preset.voting, entry,
                         {{"auto", VotingSetShape::automatic},
                          {"grid", VotingSetShape::grid},
                          {"plane", VotingSetShape::plane}});
  choose<Balance>("--balance", texts.balance, tuning.balance, entry.preset.balance, entry,
                  {{"order", Balance::order}, {"lazy", Balance::lazy}});
  if (texts.order) tuning.order = *texts.order;
  if (texts.eps) tuning.eps = *texts.eps;
  return tuning;
}

}  // namespace conch::lab_cli
