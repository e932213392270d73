// What a report draws and judges: figures, of which each is one of a paper, and claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conch::lab {

/// One quantity, measured once with each seed.
class Sample {
 public:
  void add(double value);
  std::size_t count() const { return count_; }
  double mean() const { return mean_; }
  /// The standard deviation over the seeds; of a single one, 0.
  double deviation() const;

 private:
  std::size_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

enum class Spacing : std::uint8_t { linear, log };

struct Axis {
  std::string label;
  /// Empty, if what is counted has none.
  std::string unit = {};
  Spacing spacing = Spacing::linear;
  /// If there are names, x is a place in them.
  std::vector<std::string> names = {};
};

struct Datum {
  double x = 0;
  double y = 0;
  /// To either side; 0 where there is one run, or nothing to vary.
  double error = 0;
};
Datum at(double x, const Sample& sample);

/// A reference is what a formula, a bound or another model has.
enum class Whose : std::uint8_t { ours, paper, reference };

struct Series {
  std::string name;
  Whose whose = Whose::ours;
  std::vector<Datum> points = {};
};

/// Steps are for distributions.
enum class Shape : std::uint8_t { lines, bars, steps };

struct Figure {
  std::string title;
  /// Of which paper, as in "Hernane 2015, figure 7".
  std::string of;
  Shape shape = Shape::lines;
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};

  /// Adds it, if it is not there yet.
  Series& at(std::string_view name, Whose whose = Whose::ours);
};

enum class Verdict : std::uint8_t { holds, in_part, does_not_hold, not_comparable };
inline constexpr Verdict all_verdicts[] = {Verdict::holds, Verdict::in_part, Verdict::does_not_hold,
                                           Verdict::not_comparable};
std::string_view print(Verdict verdict);
inline Verdict judged(bool holds) { return holds ? Verdict::holds : Verdict::does_not_hold; }

/// Something that a paper states, in our words.
struct Claim {
  std::string of;
  std::string says;
  /// What the paper has, where it gives a number.
  std::string paper;
  /// What came out.
  std::string ours;
  Verdict verdict = Verdict::not_comparable;
};

}  // namespace conch::lab
