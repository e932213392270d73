// The verdicts of several experiments, to print them and to compare them with those of other seeds.
#pragma once

#include <string>
#include <vector>

#include "lab/experiment.hpp"

namespace conch::lab_cli {

class Verdicts {
 public:
  void add(const lab::Experiment& experiment, const lab::ExperimentResult& findings);

  /// One line per verdict, and how many there are of each kind.
  std::string print() const;
  /// One line per verdict that is here and not in `others`.
  std::vector<std::string> missing_in(const Verdicts& others) const;

 private:
  struct Judged {
    std::string experiment;
    std::string claim;
    lab::ClaimVerdict verdict = lab::ClaimVerdict::not_comparable;

    std::string print() const;
    bool operator==(const Judged&) const = default;
  };

  std::vector<Judged> list_;
};

}  // namespace conch::lab_cli
