#include "run.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "extras.hpp"
#include "floor.hpp"

namespace conch::bench {

namespace {

using namespace std::chrono_literals;

Contenders all_contenders() {
  Contenders all;
  all.push_back(conch_peers("naimi-trehel", Transport::tcp));
  all.push_back(conch_peers("naimi-trehel", Transport::unix_sockets));
  all.push_back(conch_peers("elmp", Transport::tcp));
  all.push_back(minimal_server());
  all.push_back(redis_list());
  all.push_back(redis_set());
  all.push_back(zookeeper());
  all.push_back(etcd());
  return all;
}

Contenders chosen(const Plan& plan) {
  Contenders contenders = all_contenders();
  std::erase_if(contenders, [&](const std::unique_ptr<Contender>& contender) {
    return !plan.only.empty() && std::ranges::none_of(plan.only, [&](const std::string& part) {
      return contender->name().find(part) != std::string::npos;
    });
  });
  return contenders;
}

/// Shows the progress to a user at a terminal.
void progress(const std::string& what) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K{}", what);
}

/// The readings of a cell so far.
struct Trials {
  std::vector<Reading> readings;
  std::string failure;

  Cell cell() const {
    if (readings.empty() || !failure.empty()) return {std::nullopt, failure};
    return {median(readings), {}};
  }
};

/// A contender with its readings so far.
struct Starter {
  std::unique_ptr<Contender> contender;
  std::string failure;
  std::string version;
  std::map<int, Trials> trials;

  bool is_ready() const { return failure.empty(); }
  Row row() const {
    Row row{contender->name(), {}};
    if (!is_ready()) row.cells[1] = {std::nullopt, failure};
    for (const auto& [processes, trial] : trials) row.cells[processes] = trial.cell();
    return row;
  }
};

class Mode {
 public:
  Mode(const Plan& plan, std::string title) : plan_(plan) { sheet_.title = std::move(title); }

  /// The outer loop is over rounds, so that a disturbance of the machine affects all alike.
  Sheet measure() {
    for (auto& contender : chosen(plan_)) start(std::move(contender));
    for (int round = 1; round <= plan_.rounds; ++round) play(round);
    for (Starter& starter : starters_) {
      if (starter.is_ready()) starter.contender->stop();
      sheet_.rows.push_back(starter.row());
      if (!starter.version.empty()) sheet_.versions.push_back(starter.version);
    }
    sheet_.tcp_ns = median(tcp_ns_);
    sheet_.unix_ns = median(unix_ns_);
    finish_extras();
    progress("");
    return std::move(sheet_);
  }

 private:
  void start(std::unique_ptr<Contender> contender) {
    progress(fmt::format("{}: starting {}", sheet_.title, contender->name()));
    Starter& starter = starters_.emplace_back();
    starter.contender = std::move(contender);
    try {
      starter.contender->start();
      starter.version = Process([&] { return starter.contender->version(); }).finish(in(10s));
      starter.contender->pause();
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      starter.failure = error.what();
    }
  }

  void play(int round) {
    std::string where = fmt::format("{}, round {} of {}", sheet_.title, round, plan_.rounds);
    progress(where + ": ping-pong");
    tcp_ns_.push_back(ping_pong_ns(Transport::tcp, plan_.seconds / 2));
    unix_ns_.push_back(ping_pong_ns(Transport::unix_sockets, plan_.seconds / 2));
    for (Starter& starter : starters_) {
      if (!starter.is_ready()) continue;
      progress(where + ": " + starter.contender->name());
      starter.contender->resume();
      try_with(starter, 1);
      for (int processes : process_counts) try_with(starter, processes);
      if (starter.contender->name() == naimi_trehel_tcp) play_extras(*starter.contender);
      starter.contender->pause();
    }
  }

  void try_with(Starter& starter, int processes) {
    attempt(starter.trials[processes], *starter.contender, {processes, 1, plan_.seconds});
  }

  /// A cell that has failed is not tried again, because its failure may have taken long.
  static void attempt(Trials& trials, Contender& contender, const Setting& setting) {
    if (!trials.failure.empty()) return;
    try {
      trials.readings.push_back(bench::measure(contender, setting));
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      trials.failure = error.what();
    }
  }

  void play_extras(Contender& contender) {
    attempt(thousand_, contender, {process_counts.back(), locks_max, plan_.seconds});
    attempt(reacquire_, [&] { return reacquire_ns(plan_.seconds / 2); });
    attempt(idle_, idle_lock_bytes);
  }

  struct Values {
    std::vector<double> values;
    std::string failure;
    Figure figure() const {
      if (values.empty() || !failure.empty()) return {std::nullopt, failure};
      return {median(values), {}};
    }
  };

  static void attempt(Values& values, const std::function<double()>& measure) {
    if (!values.failure.empty()) return;
    try {
      values.values.push_back(measure());
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      values.failure = error.what();
    }
  }

  void finish_extras() {
    sheet_.reacquire_ns = reacquire_.figure();
    sheet_.idle_lock_bytes = idle_.figure();
    Cell thousand = thousand_.cell();
    sheet_.thousand_locks_percent.failure = thousand.failure;
    const Row* ours = sheet_.row(naimi_trehel_tcp);
    const Reading* one = ours == nullptr ? nullptr : ours->reading(process_counts.back());
    if (thousand.reading && one != nullptr)
      sheet_.thousand_locks_percent.value =
          100 * thousand.reading->entries_per_s / one->entries_per_s;
  }

  const Plan& plan_;
  Sheet sheet_;
  std::vector<Starter> starters_;
  std::vector<double> tcp_ns_;
  std::vector<double> unix_ns_;
  Trials thousand_;
  Values reacquire_;
  Values idle_;
};

}  // namespace

const Reading* Row::reading(int processes) const {
  auto cell = cells.find(processes);
  return cell == cells.end() || !cell->second.reading ? nullptr : &*cell->second.reading;
}

const Row* Sheet::row(const std::string& name) const {
  auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

Result run(const Plan& plan, const Affinity& affinity) {
  Result result;
  affinity.pin();
  result.pinned = Mode(plan, "pinned to one core").measure();
  affinity.free();
  result.free = Mode(plan, "free").measure();
  return result;
}

}  // namespace conch::bench
