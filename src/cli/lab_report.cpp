#include "cli/lab_report.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <conch/version.hpp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>

#include "cli/lab_json.hpp"
#include "cli/lab_progress.hpp"
#include "pages/pages.hpp"
#include "sim/distribution.hpp"

namespace conch::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word(lab::Scale scale) {
  return lab::pick<std::string_view>(scale, "smoke", "quick", "full");
}

std::vector<const lab::Experiment*> chosen(const std::vector<std::string>& only) {
  for (const std::string& name : only) lab::find_experiment(name);
  std::vector<const lab::Experiment*> list;
  for (const lab::Experiment& experiment : lab::experiments())
    if (only.empty() || std::find(only.begin(), only.end(), experiment.name) != only.end())
      list.push_back(&experiment);
  return list;
}

/// Better now than after minutes.
void make_writable(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw sim::BadText("--out: cannot make " + directory + ": " + error.message());
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    throw sim::BadText("--out: cannot write into " + directory + ": " + std::strerror(errno));
}

/// Ctrl-C has to wait.
class Uninterrupted {
 public:
  Uninterrupted() {
    sigset_t signals;
    sigemptyset(&signals);
    for (int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~Uninterrupted() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;

 private:
  sigset_t before_;
};

/// As a whole, or not at all: whoever looks meanwhile finds what was there before.
void write_file(const std::filesystem::path& path, std::string_view text) {
  Uninterrupted uninterrupted;
  std::filesystem::path part = path;
  part += ".part";
  std::ofstream file(part);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  if (file && !error) return;
  std::filesystem::remove(part, error);
  throw sim::BadText("--out: cannot write " + path.string());
}

/// What repeats one experiment of the report.
std::string command(const lab::Experiment& experiment, const ReportOptions& options) {
  std::string text = fmt::format("conch lab run {}", experiment.name);
  if (options.scale != lab::Scale::full) text += fmt::format(" --{}", word(options.scale));
  if (options.seeds)
    text += fmt::format(" --seeds {}..{}", options.seeds->first, options.seeds->last);
  return text;
}

Json run(const lab::Experiment& experiment, const ReportOptions& options,
         ReportProgress& progress) {
  lab::Setup setup = experiment.setup_at(options.scale);
  if (options.seeds) setup.seeds = *options.seeds;
  if (!experiment.has_verdicts) setup.seeds.last = setup.seeds.first;
  progress.begin(experiment.name);
  lab::Findings findings = experiment.run(setup);
  write_csv(options.out, experiment.name, findings.table);
  Json json = findings_json(experiment, setup, findings);
  json["layout"] = layout_json(findings.table);
  json["command"] = command(experiment, options);
  json["seconds"] = progress.end();
  return json;
}

}  // namespace

std::filesystem::path write_csv(const std::filesystem::path& directory, std::string_view name,
                                const lab::Table& table) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::filesystem::path path = directory / fmt::format("{}.csv", name);
  write_file(path, table.csv());
  return path;
}

void write_report(const ReportOptions& options) {
  std::vector<const lab::Experiment*> experiments = chosen(options.only);
  make_writable(options.out);
  Json report{{"version", version()},
              {"made", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))},
              {"scale", word(options.scale)},
              {"experiments", Json::array()}};
  {
    ReportProgress progress(experiments.size(), options.out);
    for (const lab::Experiment* experiment : experiments)
      report["experiments"].push_back(run(*experiment, options, progress));
    report["seconds"] = progress.total_s();
  }
  std::filesystem::path directory = options.out;
  std::string json = report.dump();
  write_file(directory / "report.json", json);
  write_file(directory / "report.html",
             pages::with_data(pages::page(pages::Name::report), "application/json", json));
  fmt::print("written: {}\n", (directory / "report.html").string());
}

}  // namespace conch::cli
