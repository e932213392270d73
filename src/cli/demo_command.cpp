// `conch demo`: runs a group of peers on this machine, of which one joins, one leaves, one is
// killed and one is stopped; then a group at two sites.
#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/demo_places.hpp"
#include "cli/demo_worker.hpp"
#include "cli/worker_processes.hpp"
#include "net/descriptor.hpp"
#include "net/scratch_folder.hpp"

namespace conch::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct DemoArguments {
  std::string algorithm;
  bool quick = false;
  bool verbose = false;
};

/// How long a step may take before the demo gives up as stuck.
constexpr Seconds step_patience = seconds(30);
constexpr std::size_t first_workers = 5;

/// Mutual exclusion was violated.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string span_text(std::uint64_t ns) {
  double ms = static_cast<double>(ns) * 1e-6;
  if (ms < 1) return fmt::format("{:.0f} us", ms * 1e3);
  return ms < 1000 ? fmt::format("{:.1f} ms", ms) : fmt::format("{:.2f} s", ms * 1e-3);
}

/// Groups the digits as in 1 234 567.
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, " ");
  return text;
}

/// The demo, act by act. Seats count from 0, but are shown from 1.
class Demo {
 public:
  explicit Demo(const DemoArguments& arguments)
      : arguments_(arguments),
        act_(arguments.quick ? milliseconds(300) : milliseconds(2000)),
        lease_(arguments.quick ? milliseconds(1000) : milliseconds(2000)),
        path_(folder_.file("counter")),
        file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    write_record(file_.number(), {});
  }

  Exit run() {
    begin();
    joins(5);
    leaves(1);
    is_killed(2);
    is_stopped(3);
    end();
    are_far_apart();
    return add_up();
  }

 private:
  DemoSeat& seat(std::size_t which) { return board_->seats[which]; }

  template <class... T>
  void say(fmt::format_string<T...> text, T&&... arguments) {
    double elapsed_s = static_cast<double>(now_ns() - begun_ns_) * 1e-9;
    fmt::print("{:6.2f} s  {}\n", elapsed_s, fmt::format(text, std::forward<T>(arguments)...));
    std::fflush(stdout);
  }

  PeerOptions options() const {
    PeerOptions options;
    options.group = "demo";
    options.option_names = OptionNames::command_line;
    options.algorithm = arguments_.algorithm;
    options.listen = {"127.0.0.1:0"};
    options.tcp_only = true;
    options.state_directory = folder_.file("state");
    options.lease = lease_;
    bool verbose = arguments_.verbose;
    options.log = [verbose](std::string_view line) {
      if (verbose) fmt::print(stderr, "          {}\n", line);
    };
    return options;
  }

  void start(std::size_t which) {
    workers_.begin([&, which] { work_in_demo(options(), path_, *board_, which); });
  }

  void await_in(std::size_t which) {
    workers_.await([&] { return seat(which).is_in.load(); }, step_patience,
                   fmt::format("peer {} could not join the group", which + 1));
  }

  /// Lets the peers work for the length of an act.
  void let_work() {
    workers_.rest(act_);
    if (board_->fences_back != 0)
      throw Broken("a fence was not greater than the one before: the lock is broken");
  }

  void begin() {
    fmt::print(
        "Five processes, each a peer of a new group, talk over TCP on this machine; no server.\n"
        "Each repeats the same steps: lock, read a number from a file, write it back plus\n"
        "one, unlock. If two were ever inside at once, an increment would be lost.\n"
        "\n");
    begun_ns_ = now_ns();
    for (std::size_t which = 0; which < first_workers; ++which) start(which);
    for (std::size_t which = 0; which < first_workers; ++which) await_in(which);
    say("peers 1 to 5 are in the group");
    board_->may_begin = true;
    await_next();
    std::uint64_t handovers = board_->handovers;
    std::uint64_t from_ns = now_ns();
    let_work();
    double seconds = static_cast<double>(now_ns() - from_ns) * 1e-9;
    handovers = board_->handovers - handovers;
    handovers_per_s_ = static_cast<std::uint64_t>(static_cast<double>(handovers) / seconds);
    say("{} increments, {} handovers a second from one process to another", grouped(written()),
        grouped(handovers_per_s_));
  }

  void joins(std::size_t which) {
    say("peer {} starts", which + 1);
    board_->longest_gap_ns = 0;
    std::uint64_t from_ns = now_ns();
    start(which);
    await_in(which);
    say("peer {} has joined, after {}; the others kept working, the longest pause was {}",
        which + 1, span_text(now_ns() - from_ns), span_text(board_->longest_gap_ns));
    let_work();
  }

  void leaves(std::size_t which) {
    say("peer {} is asked to leave", which + 1);
    board_->longest_gap_ns = 0;
    std::uint64_t from_ns = now_ns();
    seat(which).asked_to_leave = true;
    workers_.await([&] { return workers_.has_ended(which); }, step_patience,
                   fmt::format("peer {} did not leave", which + 1));
    say("peer {} has left, after {}; the longest pause was {}", which + 1,
        span_text(now_ns() - from_ns), span_text(board_->longest_gap_ns));
    let_work();
  }

  void is_killed(std::size_t which) {
    hold(which);
    say("kill -9 of peer {}, which holds the lock and has read the number", which + 1);
    std::uint64_t killed_ns = now_ns();
    workers_.kill(which);
    recovery_ns_ = std::max(await_next(), killed_ns) - killed_ns;
    say("peer {} has the lock, {} after the kill", board_->next_in + 1, span_text(recovery_ns_));
    let_work();
  }

  void is_stopped(std::size_t which) {
    hold(which);
    say("SIGSTOP to peer {}, which holds the lock, too. It is not dead: its lease of {} s must end "
        "first",
        which + 1, Seconds(lease_).count());
    std::uint64_t stopped_ns = now_ns();
    workers_.signal(which, SIGSTOP);
    std::uint64_t next_ns = await_next();
    say("peer {} has the lock, {} after the stop", board_->next_in + 1,
        span_text(next_ns - stopped_ns));
    let_work();
    seat(which).asked_to_linger = false;
    say("SIGCONT to peer {}, which is about to write what it read before", which + 1);
    std::uint64_t losses = seat(which).losses;
    workers_.signal(which, SIGCONT);
    workers_.await([&] { return seat(which).losses > losses; }, step_patience,
                   fmt::format("peer {} was not told that it has lost the lock", which + 1));
    say("peer {} was told that it has lost the lock, and does not write", which + 1);
    workers_.await([&] { return seat(which).back_ns != 0; }, step_patience,
                   fmt::format("peer {} could not rejoin the group", which + 1));
    say("peer {} is back in the group, as a new member", which + 1);
    let_work();
  }

  /// Waits until the worker is inside and stays there, and prepares to record the next one in.
  void hold(std::size_t which) {
    seat(which).asked_to_linger = true;
    workers_.await([&] { return seat(which).lingers.load(); }, step_patience,
                   fmt::format("peer {} did not get the lock", which + 1));
    board_->next_in_ns = 0;
  }

  std::uint64_t await_next() {
    workers_.await([&] { return board_->next_in_ns != 0; }, step_patience, "no peer got the lock");
    return board_->next_in_ns;
  }

  void end() {
    board_->ends = true;
    workers_.await_ends(step_patience);
    say("all have left");
  }

  /// Uses a group of its own; all earlier workers have ended.
  void are_far_apart() {
    Seconds measured = std::max<Seconds>(act_, milliseconds(1000));
    say("two sites, three peers at each, {} ms between them", milliseconds(between_places).count());
    for (std::string algorithm : {"naimi-trehel", "preempt-aggregation"}) {
      PlacesResult result = work_in_two_places(algorithm, measured);
      if (result.overlapped) throw Broken("two were inside at once: the lock is broken");
      auto entries = static_cast<double>(result.entries);
      say("{:<20} {:4.0f} entries a second, a wait of {}, {:.0f} % of the handovers between sites",
          algorithm, entries / result.measured.count(),
          span_text(static_cast<std::uint64_t>(result.mean_wait.count() * 1e9)),
          100 * static_cast<double>(result.crossings) / entries);
    }
    fmt::print("\n");
  }

  std::uint64_t written() {
    std::uint64_t sum = 0;
    for (const DemoSeat& each : board_->seats) sum += each.written;
    return sum;
  }

  Exit add_up() {
    std::uint64_t counted = written();
    std::uint64_t in_file = read_record(file_.number()).count;
    bool none_lost = counted == in_file && counted > 0;
    bool fences_grew = board_->fences_back == 0;
    auto line = [](std::string_view name, const std::string& value, std::string_view remark) {
      fmt::print("{:<32}{:>10}{}{}\n", name, value, remark.empty() ? "" : "  ", remark);
    };
    line("increments the workers counted", grouped(counted), "");
    line("the number in the file", grouped(in_file),
         none_lost ? "the same: nothing was lost" : "NOT THE SAME: the lock is broken");
    line("handovers a second", grouped(handovers_per_s_),
         "five peers, each with a read and a write");
    line("kill -9 to the next entry", span_text(recovery_ns_), "");
    line("fences", fences_grew ? "increased" : "WENT BACK",
         fmt::format("from {} to {}", board_->first_fence, board_->last_fence));
    if (!none_lost || !fences_grew) return Exit::safety_broken;
    fmt::print(
        "\nWhat to try next:\n"
        "  conch lock deploy -- sh -c 'echo fence $CONCH_FENCE; sleep 5'   in two terminals\n"
        "  conch status                                                    in a third\n"
        "  conch bench                                                     how fast it is here\n");
    return Exit::held;
  }

  DemoArguments arguments_;
  milliseconds act_;
  milliseconds lease_;
  ScratchFolder folder_;
  std::string path_;
  net::Descriptor file_;
  SharedState<DemoBoard> board_;
  /// Declared last, so that the workers end before what they use.
  WorkerProcesses workers_;
  std::uint64_t begun_ns_ = 0;
  std::uint64_t handovers_per_s_ = 0;
  std::uint64_t recovery_ns_ = 0;
};

Exit run_demo(const DemoArguments& arguments) {
  if (!arguments.algorithm.empty()) check_algorithm(arguments.algorithm);
  try {
    return Demo(arguments).run();
  } catch (const Interruption& interruption) {
    fmt::print(stderr, "\nconch: interrupted; all peers have ended\n");
    return static_cast<Exit>(128 + interruption.signal);
  } catch (const Broken& broken) {
    fmt::print(stderr, "conch: {}\n", broken.what());
    return Exit::safety_broken;
  } catch (const TimedOut& stuck) {
    fmt::print(stderr, "conch: {}\n", stuck.what());
    return Exit::liveness_broken;
  }
}

}  // namespace

void add_demo_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("demo",
                         "Show peers on this machine while one joins, one leaves, one is killed "
                         "and one is stopped; then peers at two sites");
  auto arguments = std::make_shared<DemoArguments>();
  command->add_option("--algorithm", arguments->algorithm,
                      "Algorithm of the group; see `conch algorithms`");
  command->add_flag("--quick", arguments->quick, "Take only a few seconds");
  command->add_flag("--verbose", arguments->verbose, "Print what the peers log, too");
  command->callback([arguments, &invocation] { invocation.exit = run_demo(*arguments); });
}

}  // namespace conch::cli
