// The verdicts of several experiments, to read and to compare with those of other seeds.
#pragma once

#include <string>
#include <vector>

#include "lab/experiment.hpp"

namespace conch::lab_cli {

class Verdicts {
 public:
  void add(const lab::Experiment& experiment, const lab::Findings& findings);

  /// A line for each, and how many there are of each kind.
  std::string print() const;
  /// A line for each that these have and the others do not.
  std::vector<std::string> missing_in(const Verdicts& others) const;

 private:
  struct Judged {
    std::string experiment;
    std::string claim;
    lab::Verdict verdict = lab::Verdict::not_comparable;

    std::string print() const;
    bool operator==(const Judged&) const = default;
  };

  std::vector<Judged> list_;
};

}  // namespace conch::lab_cli
