// Settings: the numbers of an experiment that can be set on the command line, such as its nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace conch::lab {

/// How much of an experiment is run. `smoke` is for tests: the least that yields all of its
/// figures.
enum class Scale : std::uint8_t { smoke, quick, full };

template <class T>
T pick(Scale scale, T smoke, T quick, T full) {
  return scale == Scale::full ? full : scale == Scale::quick ? quick : smoke;
}

struct ExperimentOption {
  /// The name of the option, without its dashes.
  std::string_view name;
  std::string_view about;
  /// The default values, as on the command line. If `full` has several, any number of values is
  /// accepted. A scale without values takes those of the next larger scale.
  std::string_view full;
  std::string_view quick = {};
  std::string_view smoke = {};
  double least = 1;
  double most = 1'000'000;
  bool is_whole = true;

  std::string_view usual(Scale scale) const;
  bool takes_several() const { return full.find(',') != full.npos; }
  /// Parses `500`, `500,1000`, `1.5`, `10KiB`, `50MiB`; returns the values sorted and without
  /// duplicates. Throws BadText, saying what the setting takes.
  std::vector<double> parse(std::string_view text) const;
};

}  // namespace conch::lab
