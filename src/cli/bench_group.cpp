#include "cli/bench_group.hpp"

#include <dirent.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <conch/mutex.hpp>
#include <conch/observer.hpp>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>

#include "cli/contention.hpp"
#include "cli/worker_processes.hpp"
#include "core/table.hpp"
#include "net/descriptor.hpp"
#include "net/scratch_folder.hpp"
#include "net/shared_state.hpp"

namespace conch::cli {

namespace {

constexpr std::size_t contenders = 8;
/// Groups of hundreds start slowly where there are few cores.
constexpr Seconds join_patience = std::chrono::minutes(10);
constexpr Seconds group_patience = std::chrono::seconds(60);
constexpr double settling_s = 1;

/// What one member has seen of the group.
struct alignas(64) Sight {
  std::atomic<std::size_t> members{0};
  std::atomic<std::uint64_t> since_ns{0};
};

struct GroupBoard {
  std::atomic<std::size_t> joined{0};
  std::atomic<std::size_t> left{0};
  std::atomic<std::size_t> gave_up{0};
  std::atomic<bool> contends{true};
  std::atomic<bool> counts{false};
  Contention contention;
  std::array<Sight, bench_members_max> sights;
};

/// Processes wait here without costing anything, until it opens.
class Gate {
 public:
  Gate() : event_(::eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC)) {
    checked(event_.number(), "eventfd");
  }
  void open(std::size_t processes) const { ::eventfd_write(event_.number(), processes); }
  void pass() const {
    eventfd_t one = 0;
    while (::eventfd_read(event_.number(), &one) != 0 && errno == EINTR) continue;
  }

 private:
  net::Descriptor event_;
};

class Sighting : public Observer {
 public:
  explicit Sighting(Sight& sight) : sight_(sight) {}
  void recovered(std::uint64_t, std::size_t members) override {
    sight_.since_ns = now_ns();
    sight_.members = members;
  }

 private:
  Sight& sight_;
};

/// The processor time of another process.
double processor_s(pid_t process) {
  clockid_t clock{};
  timespec used{};
  bool is_known = ::clock_getcpuclockid(process, &clock) == 0 && ::clock_gettime(clock, &used) == 0;
  return is_known ? static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9 : 0;
}

std::size_t descriptors_of(pid_t process) {
  std::error_code error;
  std::filesystem::directory_iterator all(fmt::format("/proc/{}/fd", process), error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Memory that this process shares with no other, in MiB.
double own_memory_mib(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", process));
  double kib = 0;
  for (std::string word; file >> word;)
    if (word == "Private_Clean:" || word == "Private_Dirty:") {
      double more = 0;
      file >> more;
      kib += more;
    }
  return kib / 1024;
}

/// One group, from the first process to the last.
class GroupRun {
 public:
  GroupRun(const GroupBenchOptions& options, std::size_t members)
      : options_(options), members_(members) {}

  std::vector<std::string> row() {
    double joined_s = join();
    workers_.rest(Seconds(settling_s));
    double idle = idle_cost();
    auto [descriptors, memory] = sizes();
    double handovers = contend();
    double killed_s = kill_one();
    double left_s = leave();
    return {std::to_string(members_),          fmt::format("{:.2f}", joined_s),
            fmt::format("{:.1f}", idle * 1e3), std::to_string(descriptors),
            fmt::format("{:.1f}", memory),     fmt::format("{:.0f}", handovers),
            fmt::format("{:.3f}", killed_s),   fmt::format("{:.2f}", left_s),
            std::to_string(board_->gave_up)};
  }

 private:
  static double seconds_since(std::uint64_t begin_ns) {
    return static_cast<double>(now_ns() - begin_ns) * 1e-9;
  }

  void live(std::size_t member) {
    PeerOptions options;
    options.group = "bench";
    options.option_names = OptionNames::command_line;
    options.algorithm = options_.algorithm;
    options.state_directory = folder_.file("state");
    options.admission_patience = std::chrono::minutes(10);
    options.log = [this](const LogLine& line) {
      if (line.text.find("could not leave in time") != std::string::npos) ++board_->gave_up;
    };
    Sighting sighting(board_->sights[member]);
    Peer peer(options);
    Observation observation = peer.observe(sighting);
    ++board_->joined;
    if (member < contenders) {
      contest_.pass();
      Mutex mutex(peer, "lock");
      while (board_->contends) {
        board_->contention.enter(mutex, member, board_->counts);
        ::sched_yield();
      }
    }
    departure_.pass();
    peer.leave();
    ++board_->left;
  }

  double join() {
    std::uint64_t begin_ns = now_ns();
    for (std::size_t member = 0; member < members_; ++member)
      workers_.begin([this, member] { live(member); });
    workers_.await([&] { return board_->joined == members_; }, join_patience,
                   fmt::format("{} members could not all join", members_));
    return seconds_since(begin_ns);
  }

  double all_processor_s() const {
    double all = 0;
    for (std::size_t member = 0; member < members_; ++member)
      all += processor_s(workers_.process(member));
    return all;
  }

  /// The processor time of all members, per second, while nobody wants anything.
  double idle_cost() {
    double before = all_processor_s();
    std::uint64_t begin_ns = now_ns();
    workers_.rest(Seconds(std::max(options_.seconds, 2.0)));
    double used = all_processor_s() - before;
    return used / seconds_since(begin_ns);
  }

  /// The most descriptors of any member, and the median of their own memory.
  std::pair<std::size_t, double> sizes() const {
    std::size_t most = 0;
    std::vector<double> memory;
    for (std::size_t member = 0; member < members_; ++member) {
      most = std::max(most, descriptors_of(workers_.process(member)));
      memory.push_back(own_memory_mib(workers_.process(member)));
    }
    return {most, median(std::move(memory))};
  }

  /// Handovers per second among a few members; the others only belong to the group.
  double contend() {
    std::size_t some = std::min(contenders, members_);
    contest_.open(some);
    workers_.rest(Seconds(options_.seconds / 5));
    board_->counts = true;
    std::uint64_t begin_ns = now_ns();
    workers_.rest(Seconds(options_.seconds));
    board_->counts = false;
    double lasted_s = seconds_since(begin_ns);
    board_->contends = false;
    double handovers = 0;
    for (const Account& account : std::span(board_->contention.accounts).first(some))
      handovers += static_cast<double>(account.handovers);
    return handovers / lasted_s;
  }

  /// From the death of the last process until all others work without it.
  double kill_one() {
    std::uint64_t begin_ns = now_ns();
    workers_.kill(members_ - 1);
    auto others = std::span(board_->sights).first(members_ - 1);
    auto has_heard = [&](const Sight& sight) {
      return sight.members == members_ - 1 && sight.since_ns > begin_ns;
    };
    workers_.await([&] { return std::ranges::all_of(others, has_heard); }, group_patience,
                   fmt::format("not all of {} members saw the death of another", members_));
    std::uint64_t last_ns = 0;
    for (const Sight& sight : others) last_ns = std::max<std::uint64_t>(last_ns, sight.since_ns);
    return static_cast<double>(last_ns - begin_ns) * 1e-9;
  }

  double leave() {
    std::uint64_t begin_ns = now_ns();
    departure_.open(members_);
    workers_.await([&] { return board_->left == members_ - 1; }, group_patience,
                   fmt::format("{} members could not all leave", members_));
    double lasted_s = seconds_since(begin_ns);
    workers_.await_ends(group_patience);
    return lasted_s;
  }

  const GroupBenchOptions& options_;
  std::size_t members_;
  ScratchFolder folder_;
  SharedState<GroupBoard> board_;
  Gate contest_;
  Gate departure_;
  WorkerProcesses workers_;
};

}  // namespace

void bench_group(const GroupBenchOptions& options) {
  fmt::print("{}, Unix sockets, a directory as the register\n\n", options.algorithm);
  std::fflush(stdout);
  Table table({"members", "joined s", "idle ms/s", "descriptors", "own MiB", "handovers/s",
               "killed s", "left s", "gave up"});
  try {
    for (std::size_t members : options.members) table.row(GroupRun(options, members).row());
  } catch (const TimedOut&) {
    fmt::print("{}\n", table.text());
    throw;
  }
  fmt::print("{}\n", table.text());
  fmt::print(
      "All processes start at once. joined: until the last one is in; idle: processor time of all\n"
      "members while nobody wants a lock; descriptors: the most that a member has open; own:\n"
      "memory that a member shares with no other process (median); handovers: of one lock that 8\n"
      "members want all the time; killed: from kill -9 of a member until all others work without\n"
      "it; left: until all have left that were told to at once; gave up: members that could not\n"
      "leave in time, and whose leases ended as in a crash.\n");
}

}  // namespace conch::cli
