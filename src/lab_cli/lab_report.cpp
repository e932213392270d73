#include "lab_cli/lab_report.hpp"

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

#include "core/text.hpp"
#include "lab_cli/lab_json.hpp"
#include "lab_cli/lab_progress.hpp"
#include "lab_cli/lab_verdicts.hpp"
#include "pages/pages.hpp"

namespace conch::lab_cli {
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

/// Checks early, because the experiments take minutes.
void make_writable(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw BadText("--out: cannot create " + directory + ": " + error.message());
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    throw BadText("--out: cannot write into " + directory + ": " + std::strerror(errno));
}

/// Delays Ctrl-C while it exists, by blocking the signals in this thread.
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

/// Replaces the file atomically: a reader sees the old contents or the new.
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
  throw BadText("--out: cannot write " + path.string());
}

std::string print(const lab::Seeds& seeds) {
  return fmt::format("{}..{}", seeds.first, seeds.last);
}

lab::Setup setup_of(const lab::Experiment& experiment, const ReportOptions& options,
                    const std::optional<lab::Seeds>& seeds) {
  lab::Setup setup = experiment.setup_at(options.scale);
  setup.seeds = seeds.value_or(setup.seeds);
  if (!experiment.has_verdicts) setup.seeds.last = setup.seeds.first;
  return setup;
}

/// The command line that repeats one experiment of the report.
std::string command(const lab::Experiment& experiment, const ReportOptions& options,
                    const lab::Setup& setup) {
  std::string text = fmt::format("conch lab run {}", experiment.name);
  if (options.scale != lab::Scale::full) text += fmt::format(" --{}", word(options.scale));
  if (options.seeds) text += fmt::format(" --seeds {}", print(setup.seeds));
  return text;
}

/// Runs experiments and collects their findings.
class LabReport {
 public:
  explicit LabReport(const ReportOptions& options)
      : options_(options), experiments_(chosen(options.only)) {
    if (options.out)
      make_writable(*options.out);
    else
      drop_those_without_verdicts();
  }

  Verdicts run(const std::optional<lab::Seeds>& seeds) {
    Verdicts verdicts;
    ReportProgress progress(experiments_.size(), options_.out);
    for (const lab::Experiment* experiment : experiments_) {
      lab::Setup setup = setup_of(*experiment, options_, seeds);
      progress.begin(experiment->name);
      lab::ExperimentResult findings = experiment->run(setup);
      verdicts.add(*experiment, findings);
      double took_s = progress.end();
      if (options_.out) keep(*experiment, setup, findings, took_s);
    }
    return verdicts;
  }
  /// Later runs only yield verdicts.
  void drop_pages() {
    options_.out.reset();
    drop_those_without_verdicts();
  }

  void write() const {
    std::filesystem::path directory = *options_.out;
    Json report{{"version", version()},
                {"made", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))},
                {"scale", word(options_.scale)},
                {"experiments", found_},
                {"seconds", took_s_}};
    std::string json = report.dump();
    write_file(directory / "report.json", json);
    write_file(directory / "report.html",
               pages::with_data(pages::report(), "application/json", json));
    fmt::print("written: {}\n", (directory / "report.html").string());
  }

 private:
  void drop_those_without_verdicts() {
    std::erase_if(experiments_, [](auto* experiment) { return !experiment->has_verdicts; });
  }
  void keep(const lab::Experiment& experiment, const lab::Setup& setup,
            const lab::ExperimentResult& findings, double took_s) {
    write_csv(*options_.out, experiment.name, findings.table);
    Json& json = found_.emplace_back(findings_json(experiment, setup, findings));
    json["layout"] = layout_json(findings.table);
    json["command"] = command(experiment, options_, setup);
    json["seconds"] = took_s;
    took_s_ += took_s;
  }

  ReportOptions options_;
  std::vector<const lab::Experiment*> experiments_;
  Json found_ = Json::array();
  double took_s_ = 0;
};

/// Prints the verdicts that differ. Returns true if none does.
bool compare(const Verdicts& verdicts, const Verdicts& others, const ReportOptions& options) {
  std::vector<std::string> here = verdicts.missing_in(others), there = others.missing_in(verdicts);
  std::string seeds = options.seeds ? print(*options.seeds) : "as usual";
  if (here.empty() && there.empty()) {
    fmt::print("the same verdicts with seeds {} and with seeds {}\n", seeds,
               print(*options.against));
    return true;
  }
  fmt::print("verdicts with seeds {} that differ from those with seeds {}:\n", seeds,
             print(*options.against));
  for (const std::string& line : here) fmt::print("- {}", line);
  for (const std::string& line : there) fmt::print("+ {}", line);
  return false;
}

}  // namespace

std::filesystem::path write_csv(const std::filesystem::path& directory, std::string_view name,
                                const Table& table) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::filesystem::path path = directory / fmt::format("{}.csv", name);
  write_file(path, table.csv());
  return path;
}

bool make_report(const ReportOptions& options) {
  LabReport report(options);
  Verdicts verdicts = report.run(options.seeds);
  fmt::print("{}", verdicts.print());
  if (options.out) report.write();
  if (!options.against) return true;
  report.drop_pages();
  return compare(verdicts, report.run(options.against), options);
}

}  // namespace conch::lab_cli
