// `conch lab report`: runs all experiments and makes one page of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment.hpp"

namespace conch::lab_cli {

struct ReportOptions {
  /// The directory for the page and the tables. Without it, only verdicts are printed.
  std::optional<std::string> out;
  lab::Scale scale = lab::Scale::full;
  std::optional<lab::Seeds> seeds;
  /// If set, everything runs again with these seeds, and the verdicts are compared.
  std::optional<lab::Seeds> against;
  /// Names of experiments; empty means all.
  std::vector<std::string> only;
};

/// Prints all verdicts, and writes report.html, report.json and a table for each experiment. Shows
/// its progress on stderr. Returns whether the verdicts are the same with all seeds. Throws BadText
/// before it runs anything if a name is unknown or the directory cannot be written.
bool make_report(const ReportOptions& options);

/// Writes the table to DIRECTORY/NAME.csv, makes the directory if needed, and returns the path.
std::filesystem::path write_csv(const std::filesystem::path& directory, std::string_view name,
                                const Table& table);

}  // namespace conch::lab_cli
