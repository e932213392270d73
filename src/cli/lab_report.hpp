// `conch lab report`: all experiments, one after the other, into one page.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment.hpp"

namespace conch::cli {

struct ReportOptions {
  std::string out;
  lab::Scale scale = lab::Scale::full;
  std::optional<lab::Seeds> seeds;
  /// Names of experiments; all, if there are none.
  std::vector<std::string> only;
};

/// Writes report.html, report.json and a table for each experiment. Shows on stderr how far it is.
/// Throws BadText, before anything is run, for a directory that cannot be written and for unknown
/// names.
void write_report(const ReportOptions& options);

/// The table as DIRECTORY/NAME.csv, with the directory if need be; where it has been written to.
std::filesystem::path write_csv(const std::filesystem::path& directory, std::string_view name,
                                const lab::Table& table);

}  // namespace conch::cli
