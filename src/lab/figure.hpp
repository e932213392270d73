// Figures and claims: what an experiment hands to the report. Each figure redraws one figure of a
// paper; each claim is a statement of a paper with a verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conch::lab {

/// One quantity, measured once with each seed: its mean and standard deviation.
class Sample {
 public:
  void add(double value);
  std::size_t count() const { return count_; }
  double mean() const { return mean_; }
  /// The standard deviation over the seeds; 0 if there is only one.
  double deviation() const;

 private:
  std::size_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

enum class Spacing : std::uint8_t { linear, log };

struct Axis {
  std::string label;
  /// Empty for a pure number.
  std::string unit = {};
  Spacing spacing = Spacing::linear;
  /// If there are names, the axis is categorical: x is an index into them.
  std::vector<std::string> names = {};
};

struct Datum {
  double x = 0;
  double y = 0;
  /// Half the length of the error bar; 0 if there is a single run, or nothing that varies.
  double error = 0;
};
Datum at(double x, const Sample& sample);

/// Where a series comes from. A reference is a formula, a bound or another model.
enum class Whose : std::uint8_t { ours, paper, reference };

struct Series {
  std::string name;
  Whose whose = Whose::ours;
  std::vector<Datum> points = {};
};

/// `steps` is for distributions.
enum class Shape : std::uint8_t { lines, bars, steps };

struct Figure {
  std::string title;
  /// The paper, as in "Hernane 2015, figure 7".
  std::string of;
  Shape shape = Shape::lines;
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};

  /// Finds the series; adds it if there is none.
  Series& at(std::string_view name, Whose whose = Whose::ours);
};

enum class ClaimVerdict : std::uint8_t { holds, in_part, does_not_hold, not_comparable };
inline constexpr ClaimVerdict all_verdicts[] = {ClaimVerdict::holds, ClaimVerdict::in_part,
                                                ClaimVerdict::does_not_hold,
                                                ClaimVerdict::not_comparable};
std::string_view print(ClaimVerdict verdict);
inline ClaimVerdict judged(bool holds) {
  return holds ? ClaimVerdict::holds : ClaimVerdict::does_not_hold;
}

/// A statement of a paper, in our words, and whether it holds.
struct PaperClaim {
  std::string of;
  std::string says;
  /// The paper's number, if it gives one.
  std::string paper;
  /// Our result.
  std::string ours;
  ClaimVerdict verdict = ClaimVerdict::not_comparable;
};

}  // namespace conch::lab
