#include "cli/borrowed_lock.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <atomic>
#include <conch/peer.hpp>
#include <exception>
#include <stop_token>
#include <thread>

#include "cli/holders.hpp"
#include "cli/lock_exit.hpp"
#include "cli/peer_line.hpp"
#include "peer/engine.hpp"
#include "register/register.hpp"

namespace conch::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Waits until one of the descriptors is readable or the deadline has come. True if it is the first
/// one.
bool await(int descriptor, int interrupt, std::optional<Clock::time_point> deadline,
           int other = -1) {
  std::array<pollfd, 3> sources{
      {{descriptor, POLLIN, 0}, {interrupt, POLLIN, 0}, {other, POLLIN, 0}}};
  int left = -1;
  if (deadline) {
    auto rest = std::chrono::ceil<milliseconds>(*deadline - Clock::now()).count();
    left = static_cast<int>(std::max<decltype(rest)>(rest, 0));
  }
  ::poll(sources.data(), sources.size(), left);
  return sources[0].revents != 0;
}

bool is_readable(int descriptor) {
  pollfd source{descriptor, POLLIN, 0};
  return ::poll(&source, 1, 0) > 0;
}

net::Descriptor copy_of(int descriptor) {
  return net::Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

using Deadline = std::optional<Clock::time_point>;

Deadline earlier(const Deadline& a, const Deadline& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// Does nothing unless the wish asks for the names of holders.
HolderWatch watch_for(const LockWish& wish, std::function<std::optional<PeerLine>()> connect) {
  return {wish.lock, std::move(connect),
          wish.names_holders ? wish.log : std::function<void(std::string_view)>()};
}

/// A peer answers when the time is up, unless it is stopped. We wait this much longer for its
/// answer.
constexpr milliseconds answer_delay_max{250};
/// The same for `--try`.
constexpr milliseconds once_answer_delay_max{1000};

/// When even a slow peer must have answered; empty if it may wait until the lock is free.
std::optional<Clock::time_point> answer_due(const Patience& patience) {
  if (patience.once) return Clock::now() + once_answer_delay_max;
  if (patience.wait) return Clock::now() + *patience.wait + answer_delay_max;
  return std::nullopt;
}

/// How long finding a responsive peer, or joining the group, may take.
constexpr std::chrono::seconds joining_max{10};

/// A lock from a peer process of this machine, which outlives this process. The connection to it is
/// what holds the lock.
class DaemonLock final : public BorrowedLock {
 public:
  DaemonLock(const LockWish& wish, PeerLine line) : wish_(wish), line_(std::move(line)) {}

  LockReply acquire(const Patience& patience, int interrupt) override {
    if (line_.knows_claims()) line_.send(node::Describe{wish_.command});
    if (wish_.lock_delay.count() > 0) line_.send(lock_delay());
    line_.send(node::Acquire{claim, wish_.lock, wish_.shared, patience.wait, patience.once});
    Deadline due = answer_due(patience);
    // The watch asks over a connection of its own: once we have the lock, nothing else may arrive
    // on ours.
    HolderWatch watch = watch_for(wish_, [this] {
      return PeerLine::to_host(wish_.group, net::steady_now() + holders_patience);
    });
    while (!is_readable(interrupt)) {
      if (auto reply = line_.receive(net::steady_now())) return answer(*reply);
      if (due && *due <= Clock::now())
        return NotObtained{"the peer that was asked does not answer: it may be stopped"};
      watch.look();
      await(line_.descriptor(), interrupt, earlier(due, watch.due()), watch.descriptor());
    }
    return Interrupted{};
  }

  /// When the last copy of the connection is closed, the peer gives the lock to the next waiter. If
  /// the peer is killed, its life is not over before the last copy of its proof is closed.
  std::vector<net::Descriptor> take_kept() override {
    std::vector<net::Descriptor> kept;
    kept.push_back(copy_of(line_.descriptor()));
    if (proof_) kept.push_back(std::move(proof_));
    return kept;
  }
  const file::LeaseReader* lease() const override { return lease_ ? &*lease_ : nullptr; }
  /// Once we have the lock, the peer sends only that it is lost. The connection also becomes
  /// readable when the peer dies.
  int lost() const override { return line_.descriptor(); }
  void release() override { line_.send(node::GiveUp{claim}); }

 private:
  static constexpr std::uint64_t claim = 1;

  LockReply answer(const node::ClientReply& reply) {
    if (const auto* entered = std::get_if<node::Entered>(&reply)) {
      take_pledges();
      return Obtained{entered->fence.number()};
    }
    if (const auto* refusal = std::get_if<node::NotEntered>(&reply)) {
      if (refusal->leaves) throw Error(refusal->why);
      if (refusal->why != node::not_free) throw LockFailure(LockExit::bad_usage, refusal->why);
      return NotObtained{why_not_free(line_, wish_.lock)};
    }
    if (const auto* failed = std::get_if<node::Failed>(&reply))
      throw LockFailure(LockExit::unavailable, failed->why);
    throw Error("unexpected answer from the peer");
  }

  node::LockDelay lock_delay() const {
    if (line_.knows_claims()) return {wish_.lock_delay};
    throw Error(ErrorCode::misconfigured,
                "the peer of this machine runs a release without lock delays; restart it with this "
                "release, or leave out --lock-delay");
  }

  /// Takes the lease page and the proof. A peer of an older release sends neither.
  void take_pledges() try {
    std::vector<net::Descriptor> pledges = line_.take_enclosed();
    if (!pledges.empty()) lease_.emplace(copy_of(pledges[0].number()));
    if (pledges.size() > 1) proof_ = copy_of(pledges[1].number());
  } catch (const RegisterError& error) {
    throw Error(error.what());
  }

  LockWish wish_;
  PeerLine line_;
  std::optional<file::LeaseReader> lease_;
  net::Descriptor proof_;
};

/// The claim of a command. It releases the lock when it is destroyed.
class CommandClaim final : public node::Claim {
 public:
  CommandClaim(peer::Engine& engine, const LockWish& wish, int ready, int lost)
      : Claim(wish.shared ? Mode::read : Mode::write),
        engine_(engine),
        local_lock_(engine.open_local_lock(wish.lock)),
        ready_(ready),
        lost_(lost) {}
  ~CommandClaim() override {
    release();
    engine_.close_local_lock(local_lock_);
  }
  CommandClaim(const CommandClaim&) = delete;
  CommandClaim& operator=(const CommandClaim&) = delete;

  void request() {
    peer::Guard guard = engine_.guard();
    engine_.request(*this, local_lock_, guard);
  }
  void release() {
    peer::Guard guard = engine_.guard();
    engine_.give_up(*this, guard);
  }
  std::optional<Obtained> obtained() {
    peer::Guard guard = engine_.guard();
    if (state != State::inside) return std::nullopt;
    return Obtained{fence.number()};
  }

  void changed() override {
    if (state == State::inside || state == State::refused) ::eventfd_write(ready_, 1);
    if (state == State::lost) ::eventfd_write(lost_, 1);
  }
  bool is_command() const override { return true; }
  void asked_to_let_go() override { ::eventfd_write(lost_, 1); }

 private:
  peer::Engine& engine_;
  node::LocalLock& local_lock_;
  int ready_;
  int lost_;
};

/// A lock from a peer inside this process, which joins the group for it and then leaves.
class EmbeddedLock final : public BorrowedLock {
 public:
  explicit EmbeddedLock(LockWish wish)
      : wish_(std::move(wish)),
        done_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        lost_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!done_ || !lost_) throw Error("this process has too many open files: raise `ulimit -n`");
  }
  ~EmbeddedLock() override {
    if (joining_.joinable()) joining_.join();
    claim_.reset();
    peer_.reset();
  }

  LockReply acquire(const Patience& patience, int interrupt) override {
    joining_ = std::thread([this] { join(); });
    bool joined = await(done_.number(), interrupt, std::nullopt);
    if (!joined) give_up_.request_stop();
    joining_.join();
    if (!joined) return Interrupted{};
    if (failure_) std::rethrow_exception(failure_);
    return wait(patience, interrupt);
  }

  std::vector<net::Descriptor> take_kept() override {
    std::vector<net::Descriptor> kept;
    if (kept_) kept.push_back(std::move(kept_));
    return kept;
  }
  const file::LeaseReader* lease() const override { return lease_ ? &*lease_ : nullptr; }
  int lost() const override { return lost_.number(); }
  void release() override {
    claim_->release();
    peer_->leave();
  }

 private:
  /// Joining may take long, so it has a thread of its own, while this one waits for signals.
  void join() {
    try {
      peer::make_directories(wish_.group);
      PeerOptions options;
      options.group = wish_.group;
      options.algorithm = wish_.algorithm;
      options.lock_delay = wish_.lock_delay;
      options.log = wish_.log;
      options.give_up = give_up_.get_token();
      options.option_names = OptionNames::command_line;
      options.admission_patience = joining_max;
      peer_ = std::make_unique<Peer>(std::move(options));
      peer::Guard guard = peer_->engine().guard();
      peer_->engine().describe(wish_.command);
    } catch (...) {
      failure_ = std::current_exception();
    }
    ::eventfd_write(done_.number(), 1);
  }

  LockReply wait(const Patience& patience, int interrupt) {
    peer::Engine& engine = peer_->engine();
    if (std::string why = wish_.shared ? engine.why_not_shared() : ""; !why.empty())
      throw LockFailure(LockExit::bad_usage, why);
    claim_ = std::make_unique<CommandClaim>(engine, wish_, ready_.number(), lost_.number());
    // The peer's own thread drives the engine, because this one also waits for signals.
    claim_->request();
    Deadline deadline;
    if (patience.wait) deadline = Clock::now() + *patience.wait;
    if (patience.once) deadline = Clock::now() + engine.options().try_patience;
    HolderWatch watch = watch_for(wish_, [this] { return own_line(); });
    bool in_time = true;
    while (in_time && !is_readable(ready_.number()) && !is_readable(interrupt)) {
      watch.look();
      await(ready_.number(), interrupt, earlier(deadline, watch.due()), watch.descriptor());
      in_time = !deadline || Clock::now() < *deadline;
    }
    if (auto obtained = claim_->obtained()) return take_pledges(), *obtained;
    claim_.reset();
    LockReply answer = Interrupted{};
    if (!is_readable(interrupt)) answer = NotObtained{why_not()};
    peer_.reset();
    return answer;
  }
  PeerLine own_line() const { return PeerLine::to_one(wish_.group, NodeId{peer_->id()}); }
  /// Call it before the peer is destroyed, while it can still ask the others.
  std::string why_not() const try {
    PeerLine line = own_line();
    return why_not_free(line, wish_.lock);
  } catch (const Error& error) {
    return fmt::format("{}; its holder is unknown: {}", node::not_free, error.what());
  }
  void take_pledges() {
    peer::Engine& engine = peer_->engine();
    kept_ = engine.proof();
    peer::Guard guard = engine.guard();
    if (net::Descriptor page = engine.lease_page()) lease_.emplace(std::move(page));
  }

  LockWish wish_;
  net::Descriptor done_;
  net::Descriptor ready_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  net::Descriptor lost_;
  net::Descriptor kept_;
  std::optional<file::LeaseReader> lease_;
  std::thread joining_;
  std::stop_source give_up_;
  std::exception_ptr failure_;
  std::unique_ptr<Peer> peer_;
  std::unique_ptr<CommandClaim> claim_;
};

/// A lock from any peer that can give it: if one leaves or dies, it tries another.
class AutoLock final : public BorrowedLock {
 public:
  explicit AutoLock(LockWish wish) : wish_(std::move(wish)) {}

  LockReply acquire(const Patience& patience, int interrupt) override {
    auto give_up_at = Clock::now() + joining_max;
    Patience left = patience;
    do {
      if (std::optional<LockReply> answer = ask_host(left, interrupt)) return *answer;
    } while (needs_host() && !patience.once && !is_readable(interrupt) &&
             Clock::now() < give_up_at);
    lock_ = std::make_unique<EmbeddedLock>(wish_);
    try {
      return lock_->acquire(left, interrupt);
    } catch (const Error& error) {
      if (!is_elsewhere()) throw;
      throw LockFailure(LockExit::unavailable, error.what());
    }
  }
  std::vector<net::Descriptor> take_kept() override { return lock_->take_kept(); }
  const file::LeaseReader* lease() const override { return lock_->lease(); }
  int lost() const override { return lock_->lost(); }
  void release() override { lock_->release(); }

 private:
  /// How long to wait for the peer's answer if the caller cannot wait. Only a stopped peer takes
  /// longer.
  static constexpr milliseconds host_answer_delay_max{500};

  /// Asks the peer of this machine. If that fails, subtracts the time it took from the patience.
  std::optional<LockReply> ask_host(Patience& left, int interrupt) {
    std::optional<PeerLine> line = PeerLine::to_host(wish_.group, latest(left));
    if (!line) return std::nullopt;
    lock_ = std::make_unique<DaemonLock>(wish_, std::move(*line));
    auto asked = Clock::now();
    try {
      return lock_->acquire(left, interrupt);
    } catch (const Error& error) {
      wish_.log(fmt::format("cannot use the peer that was asked: {}", error.what()));
    }
    auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - asked);
    if (left.wait) left.wait = std::max(*left.wait - waited, milliseconds(0));
    return std::nullopt;
  }

  /// Whether a serving peer runs here, perhaps busy, and the group can be reached only through it.
  bool needs_host() const {
    auto sockets = peer::sockets_in(peer::directories_of(wish_.group).sockets);
    bool has_host = !sockets.empty() && sockets.front().role == peer::SocketRole::host;
    return has_host && is_elsewhere();
  }
  /// Whether the register is on another machine, reached only through a peer of this one.
  bool is_elsewhere() const {
    return !peer::elsewhere(peer::directories_of(wish_.group).state).empty();
  }

  static std::optional<Time> latest(const Patience& patience) {
    if (!patience.wait && !patience.once) return std::nullopt;
    return net::steady_now() + host_answer_delay_max;
  }

  LockWish wish_;
  std::unique_ptr<BorrowedLock> lock_;
};

}  // namespace

std::unique_ptr<BorrowedLock> borrow(const LockWish& wish) {
  return std::make_unique<AutoLock>(wish);
}

}  // namespace conch::cli
