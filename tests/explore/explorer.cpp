#include "explore/explorer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

namespace conch::explore {

namespace {

constexpr Milliseconds task_limit{120'000};
/// The time for each finding: to isolate the run, to repeat it, and to shrink it.
constexpr std::chrono::seconds time_to_shrink{60};
constexpr double first_run_s = 0.05;
constexpr std::uint64_t seeds_max = 20'000;
/// The ranges from which seeds are drawn. The inputs of a fuzz target have numbers of type int.
constexpr std::uint64_t any_seed = 1'000'000'000'000;
constexpr std::uint64_t any_input = 2'000'000'000;

std::vector<Share::Account> accounts_of(const std::vector<Family>& families) {
  std::vector<Share::Account> accounts;
  for (const Family& family : families)
    accounts.push_back({.task_s = family.task_s, .at_once_max = family.at_once_max});
  return accounts;
}

Random fresh_random() {
  std::random_device system;
  return Random((std::uint64_t{system()} << 32) | system());
}

std::string file_name(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  return text;
}

/// Options that make a command print more about a single run, or write its trace.
std::vector<std::string> words_to_trace(const Task& task, const std::string& path) {
  auto is = [&](const char* word) {
    return std::find(task.words.begin(), task.words.end(), word) != task.words.end();
  };
  if (is("sim")) return {"--trace", path + ".ndjson"};
  if (is("survive")) return {"--trace"};
  if (is("check") && !is("--recovery")) return {"--out", path + ".scenario.txt"};
  return {};
}

}  // namespace

Explorer::Explorer(std::vector<Family> families, const Settings& settings, std::atomic<bool>& stop)
    : families_(std::move(families)),
      settings_(settings),
      stop_(stop),
      share_(accounts_of(families_)),
      run_s_(families_.size(), first_run_s) {
  for (const Family& family : families_) tallies_.push_back({.family = family.name});
}

double Explorer::left_s() const {
  return settings_.minutes * 60 - std::chrono::duration<double>(Clock::now() - begun_).count();
}

void Explorer::run() {
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < settings_.jobs; ++i) workers.emplace_back([this] { work(); });
  std::atomic<bool> is_over = false;
  std::jthread teller([&] {
    for (unsigned second = 1; !is_over; ++second) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      if (isatty(STDERR_FILENO) == 1 || second % 60 == 0) tell_progress();
    }
  });
  workers.clear();
  is_over = true;
}

void Explorer::tell_progress() {
  std::lock_guard lock(mutex_);
  std::uint64_t runs = 0;
  for (const Tally& tally : tallies_) runs += tally.runs;
  bool terminal = isatty(STDERR_FILENO) == 1;
  fmt::print(stderr, "{}{:.0f} s left, {} runs, {} found{}", terminal ? "\r\033[K" : "",
             std::max(0.0, left_s()), runs, findings_.size(), terminal ? "" : "\n");
}

void Explorer::work() {
  Random random = fresh_random();
  while (!stop_ && left_s() > 0) {
    if (std::optional<Job> job = next_job(random)) {
      carry_out(*job);
    } else {
      std::this_thread::sleep_for(Milliseconds(100));
    }
  }
}

std::optional<Explorer::Job> Explorer::next_job(Random& random) {
  std::lock_guard lock(mutex_);
  // The last tasks may run a little over the time.
  constexpr double grace_s = 5;
  std::optional<std::size_t> which = share_.begin(left_s() + grace_s);
  if (!which) return std::nullopt;
  Job job{*which, families_[*which].draw(random), {}};
  job.seeds.first = 1 + random.below(job.task.seeding == Seeding::numbered ? any_input : any_seed);
  job.seeds.count = seeds_for(*which, job.task);
  return job;
}

std::uint64_t Explorer::seeds_for(std::size_t family, const Task& task) const {
  if (task.seeding == Seeding::none || task.seeding == Seeding::single) return 1;
  double count = families_[family].task_s / run_s_[family];
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(count), 1, seeds_max);
}

TaskResult Explorer::run(const Job& job, std::uint64_t* took_ms) {
  auto begun = Clock::now();
  ChildEnd end = run_child(words_of(job.task, job.seeds), {job.task.enough, task_limit}, stop_);
  auto took = std::chrono::duration_cast<Milliseconds>(Clock::now() - begun);
  if (took_ms) *took_ms = static_cast<std::uint64_t>(took.count());
  TaskResult outcome = read_outcome(families_[job.family].speaker, end.finished, job.seeds);
  bool is_violation = outcome.ending == Ending::broken || outcome.ending == Ending::stuck;
  if (end.was_stopped && !is_violation) outcome.ending = Ending::held;
  return outcome;
}

/// If each of many runs takes long, all of them may exceed the limit of a command; that is no
/// finding. A single run that does not end is one, and it is found by bisection.
TaskResult Explorer::run_patiently(Job& job, std::uint64_t* took_ms) {
  TaskResult outcome = run(job, took_ms);
  while (outcome.ending == Ending::timed_out && job.seeds.count > 1 && !stop_) {
    Job rest = job;
    job.seeds.count /= 2;
    rest.seeds.first += job.seeds.count;
    rest.seeds.count -= job.seeds.count;
    outcome = run(job);
    if (is_found(outcome.ending)) continue;
    job = rest;
    outcome = run(job);
  }
  return outcome;
}

void Explorer::carry_out(Job job) {
  std::uint64_t took_ms = 0;
  TaskResult outcome = run_patiently(job, &took_ms);
  double took_s = static_cast<double>(took_ms) / 1000;
  {
    std::lock_guard lock(mutex_);
    share_.end(job.family, took_s);
    tallies_[job.family].add(outcome, took_s);
    if (outcome.ending == Ending::unable) share_.close(job.family);
    double runs = static_cast<double>(std::max<std::uint64_t>(1, outcome.runs));
    run_s_[job.family] = (run_s_[job.family] + took_s / runs) / 2;
  }
  if (is_found(outcome.ending)) examine(job, outcome);
}

bool Explorer::claim(const Job& job, const TaskResult& outcome) {
  std::lock_guard lock(mutex_);
  std::string kind = kind_of(outcome);
  const std::string& family = families_[job.family].name;
  std::uint64_t times = std::max<std::size_t>(1, outcome.failed_seeds.size());
  for (FirstFailure& finding : findings_)
    if (finding.family == family && finding.kind == kind) {
      finding.times += times;
      return false;
    }
  std::string command = command_of(words_of(job.task, job.seeds));
  findings_.push_back({family, kind, outcome.what, times, command, command, {}, false});
  return true;
}

void Explorer::examine(const Job& job, const TaskResult& outcome) {
  if (!claim(job, outcome)) return;
  FirstFailure found = pin_down(job, outcome);
  std::lock_guard lock(mutex_);
  for (FirstFailure& finding : findings_)
    if (finding.family == found.family && finding.kind == found.kind) {
      found.times = finding.times;
      finding = found;
    }
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\033[K");
  fmt::print("{}", list_of({found}));
  std::fflush(stdout);
}

/// Finds the failing run among several by bisection, if the command could not name it.
std::optional<std::uint64_t> Explorer::isolate(Job job, const std::string& kind,
                                               Clock::time_point until) {
  while (job.seeds.count > 1 && Clock::now() < until && !stop_) {
    Job half = job;
    half.seeds.count = job.seeds.count / 2;
    if (kind_of(run(half)) == kind) {
      job = half;
    } else {
      job.seeds.first += half.seeds.count;
      job.seeds.count -= half.seeds.count;
    }
  }
  return job.seeds.count == 1 ? std::optional(job.seeds.first) : std::nullopt;
}

bool Explorer::fails(const Task& task, std::uint64_t seed, const Job& job,
                     const std::string& kind) {
  ChildEnd end = run_child(words_of(task, seed), {task.enough, task_limit}, stop_);
  return kind_of(read_outcome(families_[job.family].speaker, end.finished, {seed, 1})) == kind;
}

FirstFailure Explorer::pin_down(const Job& job, const TaskResult& outcome) {
  auto until = Clock::now() + time_to_shrink;
  std::string drawn = command_of(words_of(job.task, job.seeds));
  FirstFailure finding{
      families_[job.family].name, kind_of(outcome), outcome.what, 1, drawn, drawn, {}, false};
  if (outcome.ending == Ending::refused || outcome.ending == Ending::timed_out) return finding;
  std::optional<std::uint64_t> seed = job.seeds.first;
  if (!outcome.failed_seeds.empty())
    seed = outcome.failed_seeds.front();
  else if (job.seeds.count > 1)
    seed = isolate(job, finding.kind, until);
  if (!seed) return finding;
  Failing failing{job.task, *seed};
  finding.command = finding.drawn = command_of(words_of(failing.task, failing.seed));
  if (stop_) return finding;  // a command that is run now would be interrupted
  bool comes_again = fails(failing.task, failing.seed, job, finding.kind);
  if (stop_ && !comes_again) return finding;
  finding.is_gone = !comes_again;
  bool can_shrink = !finding.is_gone && families_[job.family].speaker == Speaker::conch;
  if (can_shrink)
    failing = shrink(failing, [&](const Task& task, std::uint64_t same) {
      std::optional<std::uint64_t> found;
      if (stop_ || Clock::now() > until) return found;
      if (fails(task, same, job, finding.kind)) return found = same;
      Job other{job.family, task, {same + 1, seeds_for(job.family, task)}};
      if (task.seeding == Seeding::none) return found;
      TaskResult others = run(other);
      if (kind_of(others) == finding.kind && !others.failed_seeds.empty())
        found = others.failed_seeds.front();
      return found;
    });
  finding.command = command_of(words_of(failing.task, failing.seed));
  keep(failing, finding);
  return finding;
}

void Explorer::keep(const Failing& failing, FirstFailure& finding) {
  std::filesystem::create_directories(settings_.folder);
  std::string path = settings_.folder + "/" + file_name(finding.family) + "." +
                     file_name(finding.kind) + "." + std::to_string(failing.seed);
  std::vector<std::string> words = words_of(failing.task, failing.seed);
  for (const std::string& word : words_to_trace(failing.task, path)) words.push_back(word);
  std::atomic<bool> never = false;
  ChildEnd end = run_child(words, {failing.task.enough, task_limit}, never);
  finding.file = path + ".txt";
  std::ofstream file(finding.file);
  file << command_of(words) << "\n" << end.finished.output;
  if (!file.flush()) throw std::runtime_error("cannot write " + finding.file);
}

std::vector<Tally> Explorer::tallies() const {
  std::lock_guard lock(mutex_);
  return tallies_;
}

std::vector<FirstFailure> Explorer::findings() const {
  std::lock_guard lock(mutex_);
  return findings_;
}

}  // namespace conch::explore
