#include "cell.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <numeric>

#include "shared.hpp"

namespace conch::bench {

namespace {

using namespace std::chrono_literals;

/// The timeout to connect, to be admitted, to get the last turn, and to leave.
constexpr auto patience = 60s;
/// The warm-up, as a share of the measured time.
constexpr double warm_up = 0.2;

/// The latest times of a process; more than enough for a median.
class Samples {
 public:
  void add(std::uint64_t ns) {
    ns_[count_ % ns_.size()] = static_cast<std::uint32_t>(std::min<std::uint64_t>(ns, UINT32_MAX));
    ++count_;
  }
  void append_to(std::vector<double>& all) const {
    auto kept = std::span(ns_).first(std::min(count_, ns_.size()));
    all.insert(all.end(), kept.begin(), kept.end());
  }

 private:
  std::size_t count_ = 0;
  std::array<std::uint32_t, 1 << 16> ns_{};
};

/// Written by one process only.
struct alignas(64) Account {
  /// All entries from the start, to compare with the locks' counters.
  std::uint64_t all_entries = 0;
  /// From here on, only the measured time counts.
  std::uint64_t entries = 0;
  std::uint64_t handovers = 0;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  Traffic traffic;
  Samples gaps;
  Samples waits;
};

/// The data that a lock protects. Only the holder writes them.
struct alignas(64) Protected {
  std::atomic<int> inside{0};
  /// How many processes have called `lock` and are not inside yet.
  std::atomic<int> asking{0};
  std::uint64_t counter = 0;
  int last_holder = -1;
  std::uint64_t unlocked_ns = 0;
};

enum Phase : std::uint32_t { assembling, warming_up, measuring, stopping, leaving };

struct Board {
  Gauge phase;
  std::atomic<int> overlaps{0};
  std::array<Protected, locks_max> locks;
  std::array<Account, processes_max> accounts;
};

/// Chooses the next lock at random, so that processes do not follow each other.
class Choice {
 public:
  Choice(int process, int locks) : state_(static_cast<std::uint32_t>(process) + 1), locks_(locks) {}
  int next() {
    if (locks_ == 1) return 0;
    state_ = state_ * 1664525 + 1013904223;
    return static_cast<int>((state_ >> 8) % static_cast<std::uint32_t>(locks_));
  }

 private:
  std::uint32_t state_;
  int locks_;
};

/// The work of one process.
class Worker {
 public:
  Worker(Board& board, Entrant& entrant, int process, int processes, int locks)
      : board_(board),
        account_(board.accounts[static_cast<std::size_t>(process)]),
        entrant_(entrant),
        process_(process),
        contended_(locks == 1 && processes > 1),
        choice_(process, locks) {}

  void run() {
    while (board_.phase.value() < measuring) enter(false);
    Traffic before = entrant_.traffic();
    while (board_.phase.value() < stopping) enter(true);
    account_.traffic = entrant_.traffic() - before;
  }

 private:
  void enter(bool measured) {
    int which = choice_.next();
    Protected& data = board_.locks[static_cast<std::size_t>(which)];
    std::uint64_t called_ns = now_ns();
    ++data.asking;
    entrant_.lock(which);
    std::uint64_t in_ns = now_ns();
    --data.asking;
    if (data.inside.exchange(1, std::memory_order_relaxed) != 0) ++board_.overlaps;
    if (measured) note(data, called_ns, in_ns);
    ++account_.all_entries;
    ++data.counter;
    data.last_holder = process_;
    if (contended_) stay_until_another_asks(data);
    data.inside.store(0, std::memory_order_relaxed);
    data.unlocked_ns = now_ns();
    entrant_.unlock(which);
  }

  /// Stays inside until another process asks, because handovers are measured. Otherwise, processes
  /// that share a core would enter again and again in their time slice, while nobody asks.
  void stay_until_another_asks(const Protected& data) const {
    while (data.asking == 0 && board_.phase.value() < stopping) ::sched_yield();
  }

  void note(const Protected& data, std::uint64_t called_ns, std::uint64_t in_ns) {
    if (account_.entries++ == 0) account_.first_ns = in_ns;
    account_.last_ns = in_ns;
    account_.waits.add(in_ns - called_ns);
    if (data.last_holder == process_ || data.last_holder < 0) return;
    ++account_.handovers;
    account_.gaps.add(in_ns - data.unlocked_ns);
  }

  Board& board_;
  Account& account_;
  Entrant& entrant_;
  int process_;
  bool contended_;
  Choice choice_;
};

std::string live(Contender& contender, Board& board, const Reports& reports, int process,
                 const Setting& setting) {
  std::unique_ptr<Entrant> entrant = contender.enter(process);
  reports.report();
  board.phase.await(warming_up);
  Worker(board, *entrant, process, setting.processes, setting.locks).run();
  reports.report();
  // A process that left earlier would make the last entries of the others different.
  board.phase.await(leaving);
  return {};
}

void conduct(Board& board, Reports& reports, std::span<Process> crew, double seconds) {
  reports.await(crew.size(), crew, in(patience));
  board.phase.raise_to(warming_up);
  watch(crew, std::chrono::duration<double>(seconds * warm_up));
  board.phase.raise_to(measuring);
  watch(crew, std::chrono::duration<double>(seconds));
  board.phase.raise_to(stopping);
  reports.await(crew.size(), crew, in(patience));
  board.phase.raise_to(leaving);
  for (Process& process : crew) process.finish(in(patience));
}

void check(const Board& board, std::span<const Account> accounts) {
  if (board.overlaps != 0)
    throw std::runtime_error(fmt::format("{} times two were in at once", board.overlaps.load()));
  std::uint64_t entered = 0;
  std::uint64_t counted = 0;
  for (const Account& account : accounts) entered += account.all_entries;
  for (const Protected& data : board.locks) counted += data.counter;
  if (entered != counted)
    throw std::runtime_error(fmt::format("{} entries, but {} counted", entered, counted));
}

/// A process without an entry in the measured time has no times, but a share of 0.
Reading read(std::span<const Account> accounts) {
  Reading reading;
  std::uint64_t first_ns = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_ns = 0;
  double entries = 0;
  double handovers = 0;
  Traffic traffic;
  std::vector<double> gaps;
  std::vector<double> waits;
  for (const Account& account : accounts) {
    entries += static_cast<double>(account.entries);
    handovers += static_cast<double>(account.handovers);
    traffic += account.traffic;
    account.gaps.append_to(gaps);
    account.waits.append_to(waits);
    if (account.entries == 0) continue;
    first_ns = std::min(first_ns, account.first_ns);
    last_ns = std::max(last_ns, account.last_ns);
  }
  if (entries < 2) throw std::runtime_error("fewer than two entries in the time; try --seconds");
  double seconds = static_cast<double>(last_ns - first_ns) * 1e-9;
  reading.entries_per_s = (entries - 1) / seconds;
  reading.handovers_per_s = reading.entries_per_s * handovers / entries;
  reading.gap_ns = median(std::move(gaps));
  reading.wait_ns = median(std::move(waits));
  auto [least, most] = std::ranges::minmax(accounts, {}, &Account::entries);
  reading.share_min = 100 * static_cast<double>(least.entries) / entries;
  reading.share_max = 100 * static_cast<double>(most.entries) / entries;
  reading.messages = static_cast<double>(traffic.messages) / entries;
  reading.bytes = static_cast<double>(traffic.bytes) / entries;
  return reading;
}

}  // namespace

Reading measure(Contender& contender, const Setting& setting) {
  contender.prepare(setting.locks);
  SharedState<Board> board;
  Reports reports;
  std::vector<Process> crew;
  for (int process = 0; process < setting.processes; ++process)
    crew.emplace_back([&] { return live(contender, *board, reports, process, setting); });
  conduct(*board, reports, crew, setting.seconds);
  auto accounts = std::span(board->accounts).first(crew.size());
  check(*board, accounts);
  return read(accounts);
}

Reading median(std::span<const Reading> readings) {
  Reading all;
  for (auto field :
       {&Reading::entries_per_s, &Reading::handovers_per_s, &Reading::gap_ns, &Reading::wait_ns,
        &Reading::share_min, &Reading::share_max, &Reading::messages, &Reading::bytes}) {
    std::vector<double> values;
    for (const Reading& reading : readings) values.push_back(reading.*field);
    all.*field = median(std::move(values));
  }
  return all;
}

}  // namespace conch::bench
