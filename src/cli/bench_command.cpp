// `conch bench`: measures how fast locks are on this machine, next to a raw message over the same
// transport.
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/bench_group.hpp"
#include "cli/commands.hpp"
#include "cli/contention.hpp"
#include "cli/worker_processes.hpp"
#include "core/table.hpp"
#include "net/descriptor.hpp"
#include "net/scratch_folder.hpp"

namespace conch::cli {
namespace {

using std::chrono::milliseconds;

constexpr Seconds phase_patience = std::chrono::seconds(60);
/// The length of the warm-up, as a fraction of the measured time.
constexpr double warm_up = 0.2;

struct BenchArguments {
  std::vector<std::size_t> processes{2, 4, 8};
  std::string transport = "tcp";
  std::string algorithm = "naimi-trehel";
  double seconds = 2;
  bool pin = false;
};

enum class BenchPhase : std::uint8_t { assemble, warm_up, measure, leave };

struct Scoreboard {
  std::atomic<BenchPhase> phase{BenchPhase::assemble};
  std::atomic<std::size_t> ready{0};
  Contention contention;
  /// Samples of measurements that only one process makes.
  Samples single;
};

class Bench {
 public:
  explicit Bench(BenchArguments arguments) : arguments_(std::move(arguments)) {
    if (arguments_.pin) pin();
  }

  void run() {
    fmt::print("{}, {}, {}; {} s each\n\n", arguments_.algorithm,
               uses_tcp() ? "TCP on loopback" : "Unix sockets",
               arguments_.pin ? "all processes on one core" : "processes on any core",
               arguments_.seconds);
    std::fflush(stdout);
    double way_ns = measure_way();
    double again_ns = measure_reentry();
    Table table({"processes", "handovers/s", "again", "gap us", "gap / raw", "wait us",
                 "least share", "most", "messages"});
    for (std::size_t processes : arguments_.processes) table.row(measure(processes, way_ns));
    fmt::print("{}\n", table.text());
    fmt::print(
        "raw       {:.1f} us: one way of a 64-byte message between two processes\n"
        "idle      {:.0f} ns: to lock and unlock where the token rests\n",
        way_ns * 1e-3, again_ns);
    fmt::print(
        "\n"
        "All processes want the lock all the time. handovers: entries right after another\n"
        "process's; again: the share of the others; gap: from the unlock call until the next\n"
        "holder is in; wait: from the lock call until in (both medians); messages: per entry,\n"
        "as receipts say: those sent while waiting, and the token.\n");
  }

 private:
  bool uses_tcp() const { return arguments_.transport == "tcp"; }

  /// Pins to the last core, because the first one serves most interrupts. Child processes inherit
  /// this.
  static void pin() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return;
    int last = 0;
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) last = core;
    CPU_ZERO(&set);
    CPU_SET(last, &set);
    ::sched_setaffinity(0, sizeof set, &set);
  }

  PeerOptions options(const ScratchFolder& folder) const {
    PeerOptions options;
    options.group = "bench";
    options.option_names = OptionNames::command_line;
    options.algorithm = arguments_.algorithm;
    options.state_directory = folder.file("state");
    if (uses_tcp()) options.listen = {"127.0.0.1:0"};
    options.tcp_only = uses_tcp();
    return options;
  }

  std::uint64_t end_ns() const {
    return now_ns() + static_cast<std::uint64_t>(arguments_.seconds * 1e9);
  }

  double measure_way() const;
  double measure_reentry() const;
  std::vector<std::string> measure(std::size_t processes, double way_ns) const;

  BenchArguments arguments_;
};

// A raw message.

using Message = std::array<char, 64>;

using Ends = std::pair<net::Descriptor, net::Descriptor>;

void send_at_once(const net::Descriptor& socket) {
  int one = 1;
  ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

Ends tcp_ends() {
  auto socket = [] {
    return net::Descriptor(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  };
  net::Descriptor listener = socket();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  checked(::bind(listener.number(), generic, size), "bind");
  checked(::listen(listener.number(), 1), "listen");
  checked(::getsockname(listener.number(), generic, &size), "getsockname");
  net::Descriptor ours = socket();
  checked(::connect(ours.number(), generic, size), "connect");
  net::Descriptor theirs(
      checked(::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC), "accept"));
  send_at_once(ours);
  send_at_once(theirs);
  return {std::move(ours), std::move(theirs)};
}

Ends unix_ends() {
  std::array<int, 2> ends{};
  checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  return {net::Descriptor(ends[0]), net::Descriptor(ends[1])};
}

bool put(const net::Descriptor& socket, const Message& message) {
  return ::send(socket.number(), message.data(), message.size(), MSG_NOSIGNAL) ==
         ssize_t{sizeof message};
}

bool get(const net::Descriptor& socket, Message& message) {
  return ::recv(socket.number(), message.data(), message.size(), MSG_WAITALL) ==
         ssize_t{sizeof message};
}

double Bench::measure_way() const {
  auto [ours, theirs] = uses_tcp() ? tcp_ends() : unix_ends();
  SharedState<Scoreboard> board;
  WorkerProcesses workers;
  workers.begin([&] {
    ours = {};
    Message message{};
    while (get(theirs, message) && put(theirs, message)) continue;
  });
  theirs = {};
  workers.begin([&] {
    Message message{};
    for (std::uint64_t begin = now_ns(), end = end_ns(); begin < end;) {
      if (!put(ours, message) || !get(ours, message))
        throw std::runtime_error("the other end of the ping-pong is gone");
      std::uint64_t now = now_ns();
      board->single.add((now - begin) / 2);
      begin = now;
    }
  });
  ours = {};
  workers.await_ends(phase_patience + Seconds(arguments_.seconds));
  auto kept = board->single.kept();
  return median({kept.begin(), kept.end()});
}

// The lock.

double Bench::measure_reentry() const {
  constexpr unsigned batch = 1000;
  ScratchFolder folder;
  SharedState<Scoreboard> board;
  WorkerProcesses workers;
  workers.begin([&] {
    Peer peer(options(folder));
    Mutex mutex(peer, "lock");
    for (std::uint64_t begin = now_ns(), end = end_ns(); begin < end;) {
      for (unsigned i = 0; i < batch; ++i) {
        mutex.lock();
        mutex.unlock();
      }
      std::uint64_t now = now_ns();
      board->single.add((now - begin) / batch);
      begin = now;
    }
  });
  workers.await_ends(phase_patience + Seconds(arguments_.seconds));
  auto kept = board->single.kept();
  return median({kept.begin(), kept.end()});
}

void contend(const PeerOptions& options, Scoreboard& board, std::size_t process) {
  Peer peer(options);
  Mutex mutex(peer, "lock");
  ++board.ready;
  while (board.phase == BenchPhase::assemble) doze(milliseconds(1));
  for (BenchPhase phase = board.phase; phase != BenchPhase::leave; phase = board.phase) {
    board.contention.enter(mutex, process, phase == BenchPhase::measure);
    // A process that was about to ask may have lost its core to the one that our token woke. Unless
    // we yield, the lock passes it over until that time slice ends.
    ::sched_yield();
  }
}

std::vector<std::string> row_of(std::span<const Account> accounts, double seconds, double way_ns) {
  double entries = 0;
  double handovers = 0;
  double messages = 0;
  std::vector<double> gaps;
  std::vector<double> waits;
  for (const Account& account : accounts) {
    entries += static_cast<double>(account.entries);
    handovers += static_cast<double>(account.handovers);
    messages += static_cast<double>(account.messages);
    std::ranges::copy(account.gaps.kept(), std::back_inserter(gaps));
    std::ranges::copy(account.waits.kept(), std::back_inserter(waits));
  }
  if (entries == 0) throw TimedOut("no process got the lock during the measurement");
  auto [least, most] = std::ranges::minmax(accounts, {}, &Account::entries);
  double gap_ns = median(std::move(gaps));
  auto percent = [&](double part) { return fmt::format("{:.0f} %", 100 * part / entries); };
  return {std::to_string(accounts.size()),
          fmt::format("{:.0f}", handovers / seconds),
          percent(entries - handovers),
          fmt::format("{:.1f}", gap_ns * 1e-3),
          fmt::format("{:.2f}", gap_ns / way_ns),
          fmt::format("{:.1f}", median(std::move(waits)) * 1e-3),
          percent(static_cast<double>(least.entries)),
          percent(static_cast<double>(most.entries)),
          fmt::format("{:.2f}", messages / entries)};
}

std::vector<std::string> Bench::measure(std::size_t processes, double way_ns) const {
  ScratchFolder folder;
  SharedState<Scoreboard> board;
  WorkerProcesses workers;
  for (std::size_t process = 0; process < processes; ++process)
    workers.begin([&, process] { contend(options(folder), *board, process); });
  workers.await([&] { return board->ready == processes; }, phase_patience,
                fmt::format("{} processes could not join the group", processes));
  board->phase = BenchPhase::warm_up;
  workers.rest(Seconds(arguments_.seconds * warm_up));
  board->phase = BenchPhase::measure;
  std::uint64_t begin_ns = now_ns();
  workers.rest(Seconds(arguments_.seconds));
  board->phase = BenchPhase::leave;
  double seconds = static_cast<double>(now_ns() - begin_ns) * 1e-9;
  workers.await_ends(phase_patience);
  return row_of(std::span(board->contention.accounts).first(processes), seconds, way_ns);
}

/// Runs a benchmark, which may be interrupted or not come to an end.
template <class Run>
Exit run_bounded(Run&& run) {
  try {
    run();
    return Exit::held;
  } catch (const Interruption& interruption) {
    fmt::print(stderr, "\nconch: interrupted; all peers have ended\n");
    return static_cast<Exit>(128 + interruption.signal);
  } catch (const TimedOut& stuck) {
    fmt::print(stderr, "conch: {}\n", stuck.what());
    return Exit::liveness_broken;
  }
}

void add_group_bench(CLI::App& bench, Invocation& invocation) {
  CLI::App* command = bench.add_subcommand(
      "group", "Measure what it costs to be many: joining, idling, dying, leaving");
  auto options = std::make_shared<GroupBenchOptions>();
  command->add_option("--members", options->members, "Number of members, or several numbers")
      ->delimiter(',')
      ->check(CLI::Range(std::size_t{2}, bench_members_max))
      ->capture_default_str();
  command->add_option("--algorithm", options->algorithm, "Algorithm; see `conch algorithms`")
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "Duration of each measurement")
      ->check(CLI::Range(0.05, 600.0))
      ->capture_default_str();
  command->callback([options, &invocation] {
    check_algorithm(options->algorithm);
    invocation.exit = run_bounded([&] { bench_group(*options); });
  });
}

}  // namespace

void add_bench_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure how fast locks are between processes of this machine");
  auto arguments = std::make_shared<BenchArguments>();
  command
      ->add_option("--processes", arguments->processes,
                   "Number of processes, or several numbers: 2,4,8")
      ->delimiter(',')
      ->check(CLI::Range(std::size_t{1}, contenders_max))
      ->capture_default_str();
  command->add_option("--transport", arguments->transport, "tcp (on loopback) or unix")
      ->check(CLI::IsMember({"tcp", "unix"}))
      ->capture_default_str();
  command->add_option("--algorithm", arguments->algorithm, "Algorithm; see `conch algorithms`")
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, "Duration of each measurement")
      ->check(CLI::Range(0.05, 600.0))
      ->capture_default_str();
  command->add_flag("--pin", arguments->pin,
                    "Keep all processes on one core, which saves the cost of waking another one");
  command->callback([command, arguments, &invocation] {
    if (!command->get_subcommands().empty()) return;
    check_algorithm(arguments->algorithm);
    invocation.exit = run_bounded([&] { Bench(*arguments).run(); });
  });
  add_group_bench(*command, invocation);
}

}  // namespace conch::cli
