// `conch lock NAME -- COMMAND...` runs a command under a lock.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <conch/error.hpp>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/ancestors.hpp"
#include "cli/borrowed_lock.hpp"
#include "cli/commands.hpp"
#include "cli/keeper.hpp"
#include "cli/lock_exit.hpp"
#include "core/text.hpp"
#include "net/open_files.hpp"
#include "node/names.hpp"
#include "node/overlay_group_settings.hpp"
#include "peer/names.hpp"
#include "recovery/lease.hpp"

namespace conch::cli {
namespace {

struct LockTexts {
  std::string lock;
  std::string group = "default";
  std::string algorithm;
  bool once = false;
  std::optional<std::string> timeout;
  bool shared = false;
  std::string grace = "5s";
  std::string lock_delay = "0s";
  int not_obtained_status = static_cast<int>(LockExit::not_obtained);
  int lost_status = static_cast<int>(LockExit::lost);
  bool verbose = false;
  /// The command as the parser returns it, with some words split.
  std::vector<std::string> command;
};

struct LockOptions {
  LockWish wish;
  Patience patience;
  std::chrono::milliseconds grace{};
  int not_obtained_status = static_cast<int>(LockExit::not_obtained);
  int lost_status = static_cast<int>(LockExit::lost);
  bool verbose = false;
  std::vector<std::string> words;
};

/// The words after the first `--`, exactly as given.
std::vector<std::string> command_in(const Invocation& invocation, const LockTexts& texts) {
  const std::vector<std::string>& all = invocation.arguments;
  auto dashes = std::find(all.begin(), all.end(), "--");
  std::string usage = "conch lock NAME [OPTIONS] -- COMMAND...";
  if (dashes == all.end() && texts.command.empty())
    throw BadText("no command to run under the lock; usage: " + usage);
  if (dashes == all.end()) throw BadText("write -- before the command; usage: " + usage);
  std::vector<std::string> words(dashes + 1, all.end());
  if (words.empty()) throw BadText("no command after the --; usage: " + usage);
  if (std::find(all.begin(), dashes, texts.lock) == dashes)
    throw BadText("no lock name before the --; usage: " + usage);
  return words;
}

std::chrono::milliseconds milliseconds_in(const std::string& option, const std::string& text) {
  Duration parsed_text = parsed(option, [&] { return parse_duration_or_seconds(text); });
  return std::chrono::ceil<std::chrono::milliseconds>(parsed_text);
}

/// Checks the name even if a running peer gives the lock: only a peer of our own would check it.
void check_algorithm(const std::string& name) {
  if (name.empty() || node::find_routed(name)) return;
  const CatalogEntry& entry = find_algorithm(name);
  if (!entry.about.is_sound())
    throw BadText(fmt::format(
        "--algorithm: {} is a specimen, which breaks {}; choose another of `conch algorithms`",
        name, entry.about.caught_by));
}

LockOptions to_options(const LockTexts& texts, const Invocation& invocation) {
  LockOptions options;
  options.words = command_in(invocation, texts);
  node::check_lock_name(texts.lock);
  peer::check_group_name(texts.group);
  check_algorithm(texts.algorithm);
  options.wish = {texts.group, texts.algorithm, texts.lock, texts.shared};
  for (const std::string& word : options.words)
    options.wish.command += (options.wish.command.empty() ? "" : " ") + word;
  options.wish.names_holders = texts.verbose;
  options.wish.lock_delay = milliseconds_in("--lock-delay", texts.lock_delay);
  if (options.wish.lock_delay > recovery::lock_delay_max)
    throw BadText("--lock-delay: at most 24 hours, not " + texts.lock_delay);
  options.verbose = texts.verbose;
  options.patience.once = texts.once;
  if (texts.timeout) {
    options.patience.wait = milliseconds_in("--timeout", *texts.timeout);
    options.patience.once = options.patience.wait->count() == 0;
  }
  options.grace = milliseconds_in("--grace", texts.grace);
  options.not_obtained_status = texts.not_obtained_status;
  options.lost_status = texts.lost_status;
  return options;
}

/// One run of `conch lock`, from asking for the lock to the end of the command.
class LockRun {
 public:
  explicit LockRun(LockOptions options) : options_(std::move(options)) {
    net::raise_open_files();  // The command keeps the old limit: the keeper has forked.
    if (options_.verbose) options_.wish.log = [](std::string_view line) { say(line); };
  }

  /// Returns the exit status.
  int run() {
    std::optional<Obtained> obtained;
    try {
      lock_ = borrow(options_.wish);
      LockReply answer = lock_->acquire(options_.patience, keeper_.signals());
      if (auto* refusal = std::get_if<NotObtained>(&answer))
        return go_without(refusal->why, options_.not_obtained_status);
      if (auto* lock = std::get_if<Obtained>(&answer)) obtained = *lock;
    } catch (const std::exception& error) {
      return go_without(error.what(), static_cast<int>(exit_of(error)));
    }
    // A signal may also arrive just after the lock.
    if (auto signal = keeper_.take_signal()) return give_up(*signal, obtained.has_value());
    if (!obtained) return go_without("interrupted while waiting", options_.not_obtained_status);
    return run_under(*obtained);
  }

 private:
  static void say(std::string_view line) { fmt::print(stderr, "conch: {}\n", line); }
  void note(const std::string& line) const {
    if (options_.verbose) say(line);
  }
  std::string name() const { return options_.wish.lock; }

  int go_without(const std::string& why, int status) const {
    say(fmt::format("{} was not obtained: {}", name(), why));
    return status;
  }
  int give_up(int signal, bool holds) {
    note(fmt::format("gave up on signal {}", signal));
    if (holds) release();
    return 128 + signal;
  }
  int run_under(const Obtained& obtained) {
    note(fmt::format("obtained {}, fence {}", name(), obtained.fence));
    UnderLock under{name(),        obtained.fence, lock_->take_kept(),
                    lock_->lost(), lock_->lease(), {options_.grace, usable_lock_delay()}};
    CommandEnd outcome = keeper_.run(options_.words, under);
    explain(outcome);
    if (outcome.how != CommandEnd::How::lost) release();
    return status_of(outcome, options_.lost_status);
  }
  /// Subtracts the clock drift: a waiter's clock may be faster.
  Duration usable_lock_delay() const {
    recovery::LeaseTerms terms{options_.wish.lock_delay};
    return terms.valid() ? recovery::reliable(terms) : Duration::zero();
  }
  void explain(const CommandEnd& outcome) const {
    switch (outcome.how) {
      case CommandEnd::How::exited:
        return note(fmt::format("the command exited with status {}", outcome.number));
      case CommandEnd::How::killed:
        return note(fmt::format("the command was killed by signal {}", outcome.number));
      case CommandEnd::How::not_started:
        return say(
            fmt::format("cannot run {}: {}", options_.words[0], std::strerror(outcome.number)));
      case CommandEnd::How::lost:
        return say(fmt::format("{} was lost, and the command was terminated", name()));
      case CommandEnd::How::abandoned:
        return say("the command was killed because its keeper was killed");
    }
  }
  /// The command has had its lock, so a failed release does not change the exit status.
  void release() try {
    lock_->release();
    note(name() + " is released");
  } catch (const Error& error) {
    say(fmt::format("could not release {}: {}", name(), error.what()));
  }

  LockOptions options_;
  /// Declared before the lock, which may start threads.
  Keeper keeper_;
  std::unique_ptr<BorrowedLock> lock_;
};

void add_lock_options(CLI::App& command, LockTexts& texts) {
  command.add_option("name", texts.lock, "Lock name")->required();
  command.add_option("command", texts.command,
                     "After --: the command to run, with CONCH_LOCK and CONCH_FENCE set. "
                     "Background processes that it started keep running without the lock");
  auto* once =
      command.add_flag("--try", texts.once, "Do not wait: take the lock only if it is free");
  command.add_option("--timeout", texts.timeout, "Longest time to wait: 3 (seconds), 250ms, 1m30s")
      ->excludes(once);
  command.add_flag("--shared", texts.shared, "Share the lock with other readers");
  command.add_option("--group", texts.group, "Group name")
      ->envname("CONCH_GROUP")
      ->capture_default_str();
  command.add_option("--algorithm", texts.algorithm,
                     "Algorithm of a new group; see conch algorithms");
  command
      .add_option("--not-obtained-status", texts.not_obtained_status,
                  "Exit status if the lock was not free, or not in time")
      ->check(CLI::Range(0, 255))
      ->capture_default_str();
  command
      .add_option("--lost-status", texts.lost_status,
                  "Exit status if the lock was lost while the command ran")
      ->check(CLI::Range(0, 255))
      ->capture_default_str();
  command
      .add_option("--grace", texts.grace,
                  "Time for the command to end after the lock is lost, before it is killed: 3 "
                  "(seconds), 250ms, 1m30s; capped at what is left of the lease")
      ->capture_default_str();
  command
      .add_option("--lock-delay", texts.lock_delay,
                  "If this process or its machine vanishes: how long nobody may enter after its "
                  "lease ends; the command has that much longer to end")
      ->capture_default_str();
  command.add_flag("--verbose", texts.verbose, "Report progress on standard error");
}

}  // namespace

void add_lock_command(CLI::App& app, Invocation& invocation) {
  auto texts = std::make_shared<LockTexts>();
  CLI::App* command = app.add_subcommand("lock", "Run a command under a lock");
  add_lock_options(*command, *texts);
  command->footer(lock_exit_help());
  command->callback([texts, &invocation] {
    LockOptions options = to_options(*texts, invocation);
    expect_no_ancestor_holds(options.wish);
    note_for_descendants(options.wish);  // before the keeper forks, which inherits it
    int status = LockRun(std::move(options)).run();
    invocation.exit = static_cast<Exit>(status);  // the command's own status
  });
}

}  // namespace conch::cli
