#include "chaos/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "net/clock.hpp"

namespace conch::chaos {

using namespace std::chrono_literals;
using net::steady_now;

namespace {

/// The shortest wait before a run reports that something does not happen: the machine may be busy.
constexpr Duration patience_min = 30s;
constexpr unsigned patience_leases = 20;
constexpr auto look_every = 10ms;
/// Each worker enters each lock this often before the first fault; then most workers know each
/// other.
constexpr std::uint64_t entries_to_be_warm = 10;

Temper temper_of(const RunOptions& options) {
  bool is_measured = options.holders_to_hit > 0;
  return {.kinds = options.kinds,
          .sites = options.group.sites,
          .seats = options.group.seats(),
          .lease = options.group.lease,
          .pause = options.pause,
          .hunts = is_measured || options.ends_when_wrong,
          .is_precise = is_measured,
          .has_etcd = options.group.has_etcd};
}

Duration patience_of(const Group& group) {
  return std::max<Duration>(patience_min, patience_leases * group.lease);
}

std::string words_of(const std::vector<std::size_t>& seats) {
  std::string words;
  for (std::size_t seat : seats) words += fmt::format(" {}", seat);
  return words;
}

std::string what_is_hit(const Fault& fault, const std::vector<std::size_t>& seats) {
  std::string words = words_of(seats);
  for (std::size_t site : fault.etcd) words += fmt::format(" etcd{}", site);
  if (!fault.etcd.empty()) words += fault.etcd_signal == SIGKILL ? " killed" : " stopped";
  return words.empty() ? " the wire" : words;
}

}  // namespace

Run::Run(const RunOptions& options, const std::atomic<bool>& is_cancelled,
         std::function<void(const std::string&)> tell)
    : options_(options),
      is_cancelled_(is_cancelled),
      tell_(std::move(tell)),
      processes_(options.group, options.seed, options.folder),
      nemesis_(options.seed, temper_of(options)),
      begun_(steady_now()) {}

::chaos::Verdict Run::go() {
  if (warm_up()) {
    be_hit();
    bool has_found = options_.ends_when_wrong && !judge().is_good();
    if (has_found || is_cancelled_) return judge();
    if (calm_down()) look_for_leaks();
  }
  if (!is_cancelled_) finish();
  return judge();
}

// Time.

bool Run::pause(Duration time) const {
  return !await([] { return false; }, time) && !is_cancelled_;
}

bool Run::await(const std::function<bool()>& is_so, Duration within) const {
  Time until = steady_now() + within;
  while (!is_so()) {
    if (steady_now() >= until || is_cancelled_) return false;
    std::this_thread::sleep_for(std::min<Duration>(look_every, until - steady_now()));
  }
  return true;
}

/// Opens the history anew each time: workers would inherit a stream that stays open.
void Run::read_progress() {
  std::ifstream history(processes_.history());
  history.seekg(progress_read_);
  std::string line, at, who, verb, lock;
  // A line without an end is still being written.
  while (std::getline(history, line) && !history.eof()) {
    progress_read_ = history.tellg();
    std::istringstream words(line);
    words >> at >> who >> verb >> lock;
    if (verb == "enter" || verb == "in") ++progress_[{who, verb == "in" ? "" : lock}];
  }
}

bool Run::all_have_entered(std::uint64_t times) {
  read_progress();
  std::vector<std::string> locks{"alpha", "beta"};
  if (options_.group.has_register()) locks.insert(locks.end(), {"page", "book"});
  for (std::size_t seat = 0; seat < options_.group.seats(); ++seat)
    for (const std::string& lock : locks)
      if (progress_[{processes_.name_of(seat), lock}] < times) return false;
  return true;
}

// The run.

/// Starts seat 0 first, because it founds the group.
bool Run::warm_up() {
  processes_.wire().set(good_lines());
  for (std::size_t site = 0; site < options_.group.sites; ++site) {
    // Every machine has been up for a different time.
    if (!processes_.boot_again(site, 1000s * (site + 1)))
      tell_("no time namespaces on this machine: all sites share one steady clock");
    processes_.set_clock(site, {});
  }
  if (processes_.etcd()) processes_.etcd()->start_all();
  Duration patience = patience_of(options_.group);
  for (std::size_t seat = 0; seat < options_.group.seats(); ++seat) {
    processes_.start(seat);
    auto is_in = [&] { return read_progress(), progress_[{processes_.name_of(seat), ""}] > 0; };
    if (seat == 0 && !await(is_in, patience)) complain("no peer could create the group");
  }
  bool is_warm = await([&] { return all_have_entered(entries_to_be_warm); }, patience);
  if (runs_commands())
    for (std::size_t site = 0; site < options_.group.sites; ++site) processes_.start_commands(site);
  if (!is_warm && !is_cancelled_) complain("not all peers joined before the first fault");
  for (const std::string& end : processes_.unasked_ends()) complain(end);
  descriptors_before_ = processes_.descriptors();
  return is_warm;
}

void Run::be_hit() {
  begun_ = steady_now();
  auto is_over = [&] { return steady_now() - begun_ >= options_.lasts; };
  while (!is_cancelled_ && !is_over() && !has_seen_enough()) hit(nemesis_.next());
}

bool Run::has_seen_enough() {
  if (options_.holders_to_hit == 0 && !options_.ends_when_wrong) return false;
  ::chaos::Verdict so_far = judge();
  bool has_hit_enough =
      options_.holders_to_hit > 0 && so_far.recoveries_seconds.size() >= options_.holders_to_hit;
  return has_hit_enough || (options_.ends_when_wrong && !so_far.is_good());
}

void Run::hit(const Fault& fault) {
  if (!pause(fault.after)) return;
  std::vector<std::size_t> seats = victims(fault);
  begin(fault, seats);
  pause(fault.lasts);
  end(fault, seats);
  for (const std::string& end : processes_.unasked_ends()) complain(end);
}

std::vector<std::size_t> Run::victims(const Fault& fault) {
  switch (fault.kind) {
    case Kind::kill:
    case Kind::stop:
    case Kind::leave: return {fault.aims ? holder_or(fault.seat) : fault.seat};
    case Kind::part:
    case Kind::part_one_way:
    case Kind::reboot: return processes_.seats_at(fault.site);
    case Kind::register_away:
      return processes_.etcd() ? processes_.all_seats() : processes_.seats_elsewhere(0);
    case Kind::kill_etcd:
    case Kind::bad_lines:
    case Kind::narrow_lines:
    case Kind::set_clock: return {};
  }
  return {};
}

/// The time after a death is measured between sites: peers on the register's machine see it at
/// once.
std::size_t Run::holder_or(std::size_t seat) {
  bool is_measured = options_.holders_to_hit > 0;
  std::optional<std::size_t> found;
  auto is_there = [&] {
    for (std::size_t holder : processes_.holders())
      if (!is_measured || options_.group.site_of(holder) != 0) found = holder;
    return found.has_value();
  };
  await(is_there, is_measured ? patience_of(options_.group) : Duration::zero());
  return found.value_or(seat);
}

void Run::begin(const Fault& fault, const std::vector<std::size_t>& seats) {
  tell_(fmt::format("{:8.3f}  {} for {:.2f} s:{}", seconds_of(steady_now() - begun_),
                    word(fault.kind), seconds_of(fault.lasts), what_is_hit(fault, seats)));
  processes_.say(fmt::format("fault {}{}", word(fault.kind), words_of(seats)));
  processes_.wire().set(fault.quality);
  for (std::size_t site : fault.etcd) processes_.etcd()->hit(site, fault.etcd_signal);
  switch (fault.kind) {
    case Kind::kill:
    case Kind::reboot:
      for (std::size_t seat : seats) processes_.signal(seat, SIGKILL);
      if (fault.kind == Kind::reboot && runs_commands()) processes_.kill_all(fault.site);
      break;
    case Kind::stop: return processes_.signal(seats.front(), SIGSTOP);
    case Kind::leave: return processes_.signal(seats.front(), SIGTERM);
    case Kind::part: return processes_.wire().part({fault.site});
    case Kind::part_one_way: return processes_.wire().part({fault.site}, true);
    case Kind::register_away:
      if (!processes_.etcd()) processes_.wire().part({0});
      return;
    case Kind::kill_etcd:
    case Kind::bad_lines:
    case Kind::narrow_lines: return;
    case Kind::set_clock: return processes_.set_clock(fault.site, fault.clock);
  }
}

void Run::end(const Fault& fault, const std::vector<std::size_t>& seats) {
  switch (fault.kind) {
    case Kind::kill:
    case Kind::leave: restart(seats.front()); break;
    case Kind::stop: processes_.signal(seats.front(), SIGCONT); break;
    case Kind::part:
    case Kind::part_one_way:
    case Kind::register_away: processes_.wire().heal(); break;
    case Kind::kill_etcd:
    case Kind::bad_lines:
    case Kind::narrow_lines:
    case Kind::set_clock: break;
    case Kind::reboot:
      for (std::size_t seat : seats) await_end(seat, patience_of(options_.group));
      processes_.boot_again(fault.site, 0s);
      for (std::size_t seat : seats) processes_.start(seat);
      if (runs_commands()) processes_.start_commands(fault.site);
      break;
  }
  for (std::size_t site : fault.etcd) processes_.etcd()->bring_back(site);
  processes_.wire().set(good_lines());
  processes_.say(fmt::format("heal {}{}", word(fault.kind), words_of(seats)));
}

void Run::await_end(std::size_t seat, Duration patience) {
  bool has_ended = await([&] { return processes_.has_ended(seat); }, patience);
  if (!has_ended && !is_cancelled_)
    complain(fmt::format("worker {} does not end", processes_.name_of(seat)));
}

void Run::restart(std::size_t seat) {
  await_end(seat, patience_of(options_.group));
  processes_.start(seat);
}

/// Ends all faults, and returns whether every worker enters every lock once more.
bool Run::calm_down() {
  processes_.say("calm");
  read_progress();
  progress_.clear();
  bool all = await([&] { return all_have_entered(1); }, patience_of(options_.group));
  if (!all && !is_cancelled_) complain("not all peers rejoined after the faults had ended");
  return all;
}

/// Connections to former lives may be closed late. Data have one more connection in each direction,
/// which opens when data first move.
void Run::look_for_leaks() {
  std::size_t still_to_come = 2 * (options_.group.seats() - 1);
  auto leaks = [&] {
    std::string all;
    for (const auto& [name, now] : processes_.descriptors())
      if (auto before = descriptors_before_.find(name);
          before != descriptors_before_.end() && now > before->second + still_to_come)
        all += fmt::format("worker {} has {} descriptors open, and had {}; ", name, now,
                           before->second);
    return all;
  };
  bool none = await([&] { return leaks().empty(); }, patience_of(options_.group));
  if (!none && !is_cancelled_) complain(leaks());
}

void Run::end_commands() {
  auto within = std::chrono::ceil<Milliseconds>(patience_of(options_.group));
  if (!processes_.end_commands(within)) complain("a command does not end");
  std::size_t count = processes_.commands();
  tell_(fmt::format("{} commands ran under a lock", count));
  if (count == 0) complain("no command got its lock");
}

/// Stops the site with the register last, because no peer can leave without the register.
void Run::finish() {
  if (runs_commands()) end_commands();
  processes_.say("finish");
  Time until = steady_now() + patience_of(options_.group);
  for (std::size_t site = options_.group.sites; site-- > 0;) {
    for (std::size_t seat : processes_.seats_at(site)) processes_.signal(seat, SIGTERM);
    for (std::size_t seat : processes_.seats_at(site))
      await_end(seat, std::max(until - steady_now(), Duration::zero()));
  }
  if (processes_.etcd()) processes_.etcd()->kill_all();
  processes_.say("end");
  for (pid_t process : processes_.processes())
    complain(fmt::format("process {} is still there at the end", process));
}

::chaos::Verdict Run::judge() {
  std::ifstream history(processes_.history());
  ::chaos::Verdict verdict = ::chaos::check(history, {seconds_of(options_.group.lease), 1});
  verdict.in_history = verdict.complaints.size();
  verdict.complaints.insert(verdict.complaints.end(), complaints_.begin(), complaints_.end());
  for (const std::string& fence : processes_.overlaps())
    verdict.complaints.push_back("the command with fence " + fence + " was not alone");
  return verdict;
}

}  // namespace conch::chaos
