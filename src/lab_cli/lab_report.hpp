// `conch lab report`: all experiments, one after the other, into one page.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment.hpp"

namespace conch::lab_cli {

struct ReportOptions {
  /// The directory for the page and the tables; without it, verdicts alone are printed.
  std::optional<std::string> out;
  lab::Scale scale = lab::Scale::full;
  std::optional<lab::Seeds> seeds;
  /// Runs everything again with these, and compares the verdicts.
  std::optional<lab::Seeds> against;
  /// Names of experiments; all, if there are none.
  std::vector<std::string> only;
};

/// Prints all verdicts, and writes report.html, report.json and a table for each experiment. Shows
/// on stderr how far it is. Returns whether the verdicts are the same with all seeds. Throws
/// BadText, before anything is run, for a directory that cannot be written and for unknown names.
bool make_report(const ReportOptions& options);

/// The table as DIRECTORY/NAME.csv, with the directory if need be; where it has been written to.
std::filesystem::path write_csv(const std::filesystem::path& directory, std::string_view name,
                                const Table& table);

}  // namespace conch::lab_cli
