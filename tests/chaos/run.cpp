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

/// Before it is said that something does not come about; the machine may have other things to do.
constexpr Duration patience_min = 30s;
constexpr unsigned patience_leases = 20;
constexpr auto look_every = 10ms;
/// Of each worker at each lock: most know each other then.
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
      crew_(options.group, options.seed, options.folder),
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

/// Not by a stream that stays open: workers would inherit it.
void Run::read_progress() {
  std::ifstream history(crew_.history());
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
      if (progress_[{crew_.name_of(seat), lock}] < times) return false;
  return true;
}

// The run.

/// Seat 0 is first: it founds the group.
bool Run::warm_up() {
  crew_.wire().set(good_lines());
  for (std::size_t site = 0; site < options_.group.sites; ++site) {
    // No two machines have been up for as long.
    if (!crew_.boot_again(site, 1000s * (site + 1)))
      tell_("there are no time namespaces here: all sites have one steady clock");
    crew_.set_clock(site, {});
  }
  if (crew_.etcd()) crew_.etcd()->start_all();
  Duration patience = patience_of(options_.group);
  for (std::size_t seat = 0; seat < options_.group.seats(); ++seat) {
    crew_.start(seat);
    auto is_in = [&] { return read_progress(), progress_[{crew_.name_of(seat), ""}] > 0; };
    if (seat == 0 && !await(is_in, patience)) complain("nobody could begin the group");
  }
  bool is_warm = await([&] { return all_have_entered(entries_to_be_warm); }, patience);
  if (runs_commands())
    for (std::size_t site = 0; site < options_.group.sites; ++site) crew_.start_commands(site);
  if (!is_warm && !is_cancelled_) complain("not everybody got in before anything went wrong");
  for (const std::string& end : crew_.unasked_ends()) complain(end);
  descriptors_before_ = crew_.descriptors();
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
  for (const std::string& end : crew_.unasked_ends()) complain(end);
}

std::vector<std::size_t> Run::victims(const Fault& fault) {
  switch (fault.kind) {
    case Kind::kill:
    case Kind::stop:
    case Kind::leave: return {fault.aims ? holder_or(fault.seat) : fault.seat};
    case Kind::part:
    case Kind::part_one_way:
    case Kind::reboot: return crew_.seats_at(fault.site);
    case Kind::register_away: return crew_.etcd() ? crew_.all_seats() : crew_.seats_elsewhere(0);
    case Kind::kill_etcd:
    case Kind::bad_lines:
    case Kind::narrow_lines:
    case Kind::set_clock: return {};
  }
  return {};
}

/// Deaths are measured between sites: those of the register's machine are seen at once.
std::size_t Run::holder_or(std::size_t seat) {
  bool is_measured = options_.holders_to_hit > 0;
  std::optional<std::size_t> found;
  auto is_there = [&] {
    for (std::size_t holder : crew_.holders())
      if (!is_measured || options_.group.site_of(holder) != 0) found = holder;
    return found.has_value();
  };
  await(is_there, is_measured ? patience_of(options_.group) : Duration::zero());
  return found.value_or(seat);
}

void Run::begin(const Fault& fault, const std::vector<std::size_t>& seats) {
  tell_(fmt::format("{:8.3f}  {} for {:.2f} s:{}", seconds_of(steady_now() - begun_),
                    word(fault.kind), seconds_of(fault.lasts), what_is_hit(fault, seats)));
  crew_.say(fmt::format("fault {}{}", word(fault.kind), words_of(seats)));
  crew_.wire().set(fault.quality);
  for (std::size_t site : fault.etcd) crew_.etcd()->hit(site, fault.etcd_signal);
  switch (fault.kind) {
    case Kind::kill:
    case Kind::reboot:
      for (std::size_t seat : seats) crew_.signal(seat, SIGKILL);
      if (fault.kind == Kind::reboot && runs_commands()) crew_.kill_all(fault.site);
      break;
    case Kind::stop: return crew_.signal(seats.front(), SIGSTOP);
    case Kind::leave: return crew_.signal(seats.front(), SIGTERM);
    case Kind::part: return crew_.wire().part({fault.site});
    case Kind::part_one_way: return crew_.wire().part({fault.site}, true);
    case Kind::register_away:
      if (!crew_.etcd()) crew_.wire().part({0});
      return;
    case Kind::kill_etcd:
    case Kind::bad_lines:
    case Kind::narrow_lines: return;
    case Kind::set_clock: return crew_.set_clock(fault.site, fault.clock);
  }
}

void Run::end(const Fault& fault, const std::vector<std::size_t>& seats) {
  switch (fault.kind) {
    case Kind::kill:
    case Kind::leave: restart(seats.front()); break;
    case Kind::stop: crew_.signal(seats.front(), SIGCONT); break;
    case Kind::part:
    case Kind::part_one_way:
    case Kind::register_away: crew_.wire().heal(); break;
    case Kind::kill_etcd:
    case Kind::bad_lines:
    case Kind::narrow_lines:
    case Kind::set_clock: break;
    case Kind::reboot:
      for (std::size_t seat : seats) await_end(seat, patience_of(options_.group));
      crew_.boot_again(fault.site, 0s);
      for (std::size_t seat : seats) crew_.start(seat);
      if (runs_commands()) crew_.start_commands(fault.site);
      break;
  }
  for (std::size_t site : fault.etcd) crew_.etcd()->bring_back(site);
  crew_.wire().set(good_lines());
  crew_.say(fmt::format("heal {}{}", word(fault.kind), words_of(seats)));
}

void Run::await_end(std::size_t seat, Duration patience) {
  bool has_ended = await([&] { return crew_.has_ended(seat); }, patience);
  if (!has_ended && !is_cancelled_)
    complain(fmt::format("worker {} does not end", crew_.name_of(seat)));
}

void Run::restart(std::size_t seat) {
  await_end(seat, patience_of(options_.group));
  crew_.start(seat);
}

/// All is well from here on.
bool Run::calm_down() {
  crew_.say("calm");
  read_progress();
  progress_.clear();
  bool all = await([&] { return all_have_entered(1); }, patience_of(options_.group));
  if (!all && !is_cancelled_) complain("all was well again, and not everybody got in");
  return all;
}

/// Connections to lives that have gone may take their time to be closed. Data travel over one
/// connection more in each direction, from when they first do.
void Run::look_for_leaks() {
  std::size_t still_to_come = 2 * (options_.group.seats() - 1);
  auto leaks = [&] {
    std::string all;
    for (const auto& [name, now] : crew_.descriptors())
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
  if (!crew_.end_commands(within)) complain("a command does not end");
  std::size_t count = crew_.commands();
  tell_(fmt::format("{} commands ran under a lock", count));
  if (count == 0) complain("no command got its lock");
}

/// Those who have the register go last: nobody could leave behind them.
void Run::finish() {
  if (runs_commands()) end_commands();
  crew_.say("finish");
  Time until = steady_now() + patience_of(options_.group);
  for (std::size_t site = options_.group.sites; site-- > 0;) {
    for (std::size_t seat : crew_.seats_at(site)) crew_.signal(seat, SIGTERM);
    for (std::size_t seat : crew_.seats_at(site))
      await_end(seat, std::max(until - steady_now(), Duration::zero()));
  }
  if (crew_.etcd()) crew_.etcd()->kill_all();
  crew_.say("end");
  for (pid_t process : crew_.processes())
    complain(fmt::format("process {} is still there at the end", process));
}

::chaos::Verdict Run::judge() {
  std::ifstream history(crew_.history());
  ::chaos::Verdict verdict = ::chaos::check(history, {seconds_of(options_.group.lease), 1});
  verdict.in_history = verdict.complaints.size();
  verdict.complaints.insert(verdict.complaints.end(), complaints_.begin(), complaints_.end());
  for (const std::string& fence : crew_.overlaps())
    verdict.complaints.push_back("the command with fence " + fence + " was not alone");
  return verdict;
}

}  // namespace conch::chaos
