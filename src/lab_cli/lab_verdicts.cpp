#include "lab_cli/lab_verdicts.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace conch::lab_cli {

void Verdicts::add(const lab::Experiment& experiment, const lab::ExperimentResult& findings) {
  for (const lab::PaperClaim& claim : findings.claims)
    list_.push_back({std::string(experiment.name), fmt::format("{} ({})", claim.says, claim.of),
                     claim.verdict});
}

std::string Verdicts::Judged::print() const {
  return fmt::format("{:<16} {:<14} {}\n", experiment, lab::print(verdict), claim);
}

std::string Verdicts::print() const {
  std::string text;
  for (const Judged& judged : list_) text += judged.print();
  text += fmt::format("{} claims", list_.size());
  for (lab::ClaimVerdict verdict : lab::all_verdicts) {
    auto count = std::count_if(list_.begin(), list_.end(),
                               [&](const Judged& judged) { return judged.verdict == verdict; });
    text += fmt::format(", {} {}", lab::print(verdict), count);
  }
  return text + "\n";
}

std::vector<std::string> Verdicts::missing_in(const Verdicts& others) const {
  std::vector<std::string> missing;
  for (const Judged& judged : list_)
    if (std::find(others.list_.begin(), others.list_.end(), judged) == others.list_.end())
      missing.push_back(judged.print());
  return missing;
}

}  // namespace conch::lab_cli
