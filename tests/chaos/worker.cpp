// A peer of a chaos run: chaos_worker SEAT.LIFE LEDGER FOLDER SEED [data] [clients] [NAME=VALUE
// ...]. For each lock a thread asks, enters, tells the ledger what it finds and does, and leaves,
// until the ledger says stop. ledger.cpp has the sentences; `held` is what the library said of the
// lock after the ledger had heard "still".
#include <chrono>
#include <conch/data.hpp>
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "chaos/ledger_link.hpp"
#include "chaos/page.hpp"
#include "chaos/skewed_clock.hpp"
#include "core/random.hpp"
#include "peer/build.hpp"
#include "recovery/specimens.hpp"
#include "wire/limits.hpp"

namespace {

using namespace conch;
using namespace conch::chaos;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto think_mean = 25ms;
constexpr auto hold_mean = 2ms;
/// Some holders stay longer, so that a fault finds one of them inside.
constexpr double slow = 0.1;
constexpr auto hold_mean_of_the_slow = 40ms;
/// Some waiters give up early.
constexpr double impatient = 0.1;
constexpr auto patience_of_the_impatient = 40ms;
/// The page is small enough to travel with its lock; the book has to be fetched.
constexpr std::size_t page_bytes = std::size_t{8} << 10;
constexpr std::size_t book_bytes = std::size_t{40} << 10;
static_assert(page_bytes <= wire::enclosure_bytes_max && wire::enclosure_bytes_max < book_bytes);

struct Plan {
  std::string who;
  std::string ledger;
  std::string folder;
  std::uint64_t seed = 1;
  bool has_data = false;
  PeerOptions options = {};
  peer::Build build = {};
};

/// How a peer without this rule of recovery decides.
const recovery::RecoveryPolicy* policy_without(const std::string& name) {
  for (recovery::Rule rule : recovery::rules)
    if (word(rule) == name) return recovery::policy_without(rule);
  throw std::runtime_error("unknown rule of recovery: " + name);
}

void set(Plan& plan, const std::string& word) {
  PeerOptions& options = plan.options;
  std::size_t equals = std::min(word.find('='), word.size() - 1);
  std::string name = word.substr(0, equals);
  std::string value = word.substr(equals + 1);
  if (word == "data") plan.has_data = true;
  if (word == "clients") options.serves_clients = true;
  if (name == "algorithm") options.algorithm = value;
  if (name == "dht") options.dht = value;
  if (name == "replicas") options.replicas = static_cast<unsigned>(std::stoul(value));
  if (name == "lease") options.lease = std::chrono::milliseconds(std::stol(value));
  if (name == "listen") options.listen.push_back(value);
  if (name == "etcd") options.etcd.endpoints.push_back(value);
  if (name == "join") options.join.push_back(value);
  if (name == "plant") plan.build.policy = policy_without(value);
  if (name == "clock") follow_clock(value);
}

Plan plan_of(int argc, char** argv) {
  Plan plan{argv[1], argv[2], argv[3], std::stoul(argv[4])};
  plan.options.group = "chaos";
  plan.options.insecure = true;
  plan.options.admission_patience = 120s;
  plan.options.trace = plan.folder + "/trace." + plan.who;
  for (int i = 5; i < argc; ++i) set(plan, argv[i]);
  return plan;
}

volatile std::sig_atomic_t is_asked_to_leave = 0;

/// One lock and what it protects, as the loop of a thread sees it.
class GuardedResource {
 public:
  virtual ~GuardedResource() = default;
  /// Returns false if it did not get in: the time was over, or it has to ask again.
  virtual bool come_in(Clock::time_point until) = 0;
  virtual std::uint64_t fence() = 0;
  // Both are empty if the lock was lost meanwhile.
  /// The data found inside, as words of the history.
  virtual std::optional<std::string> found() = 0;
  /// Changes what the lock protects; `value` is the last one in the ledger. Returns the new value.
  virtual std::optional<std::string> change(std::uint64_t value) = 0;
  virtual bool holds() = 0;
  /// Whether it left as the rightful holder.
  virtual bool leave() = 0;
};

class PlainResource final : public GuardedResource {
 public:
  PlainResource(Peer& peer, const std::string& lock) : mutex_(peer, lock) {}
  bool come_in(Clock::time_point until) override { return mutex_.try_lock_until(until); }
  std::uint64_t fence() override { return mutex_.fence(); }
  std::optional<std::string> found() override { return ""; }
  std::optional<std::string> change(std::uint64_t value) override {
    return std::to_string(value + 1);
  }
  bool holds() override { return mutex_.holds(); }
  bool leave() override {
    bool held = holds();
    mutex_.unlock();
    return held;
  }

 private:
  Mutex mutex_;
};

class DataResource final : public GuardedResource {
 public:
  DataResource(Peer& peer, const std::string& lock, std::size_t bytes, const LedgerLink& ledger)
      : name_(lock), bytes_(bytes), ledger_(ledger), data_(peer, lock, {.copies = 1}) {}

  bool come_in(Clock::time_point until) override {
    data_.request();
    Outcome outcome = data_.acquire_until(until);
    bool is_told = outcome == Outcome::peer_lost && data_.state() != HandleState::lost;
    if (is_told || outcome == Outcome::torn) {
      ledger_.say("told " + name_ + (is_told ? " older" : " torn"));
      outcome = data_.acquire_until(until);
    }
    if (data_.state() == HandleState::lost) data_.create(name_);
    if (outcome == Outcome::timed_out) data_.cancel();
    if (outcome != Outcome::ok) return false;
    return data_.bytes().size() == bytes_ || data_.resize(bytes_) == Outcome::ok;
  }
  std::uint64_t fence() override { return data_.fence(); }
  std::optional<std::string> found() override {
    Span<std::byte> bytes = data_.bytes();
    if (bytes.empty()) return std::nullopt;
    Page page(bytes);
    return " " + std::to_string(page.fence()) + " " + std::to_string(page.count()) +
           (page.is_whole() ? " whole" : " torn");
  }
  std::optional<std::string> change(std::uint64_t) override {
    Span<std::byte> bytes = data_.bytes();
    if (bytes.empty()) return std::nullopt;
    Page page(bytes);
    page.write(data_.fence(), page.count() + 1);
    return std::to_string(page.count());
  }
  bool holds() override { return data_.state() == HandleState::locked; }
  bool leave() override {
    bool left = data_.release() == Outcome::ok;
    if (data_.state() == HandleState::lost) data_.create(name_);
    return left;
  }

 private:
  std::string name_;
  std::size_t bytes_;
  const LedgerLink& ledger_;
  Data data_;
};

class Visitor {
 public:
  Visitor(const LedgerLink& ledger, std::string lock, GuardedResource& resource, std::uint64_t seed)
      : ledger_(ledger), lock_(std::move(lock)), resource_(resource), random_(seed) {}

  void run() {
    while (!is_asked_to_leave && ledger_.say("want " + lock_) == "ok") {
      if (!resource_.come_in(Clock::now() + patience())) {
        ledger_.say("quit " + lock_);
      } else {
        visit();
      }
      std::this_thread::sleep_for(random_.exponential() * think_mean);
    }
  }

 private:
  Clock::duration patience() {
    return random_.chance(impatient) ? Clock::duration(patience_of_the_impatient) : 1h;
  }
  /// A holder that was told that it has lost the lock has no fence any more.
  void visit() {
    std::uint64_t fence = resource_.fence();
    std::optional<std::string> found = resource_.found();
    if (fence == 0 || !found) return void(ledger_.say("quit " + lock_)), void(resource_.leave());
    std::string at = lock_ + " " + std::to_string(fence);
    std::istringstream answer(ledger_.say("enter " + at + *found));
    std::string judged;
    std::uint64_t value = 0;
    answer >> judged >> value;
    if (judged == "yes")
      if (auto changed = resource_.change(value)) ledger_.say("write " + at + " " + *changed);
    std::this_thread::sleep_for(random_.exponential() *
                                (random_.chance(slow) ? hold_mean_of_the_slow : hold_mean));
    ledger_.say("still " + at);
    ledger_.say("leave " + at + (resource_.holds() ? " held" : " lost"));
    ledger_.say("left " + at + (resource_.leave() ? " ok" : " lost"));
  }

  const LedgerLink& ledger_;
  std::string lock_;
  GuardedResource& resource_;
  Random random_;
};

/// Writes the peer's log, and tells the ledger when the peer was evicted and when a clock was set.
class Diary {
 public:
  explicit Diary(const Plan& plan)
      : file_(std::fopen((plan.folder + "/log." + plan.who).c_str(), "we")),
        ledger_(plan.ledger, plan.who) {}
  ~Diary() { std::fclose(file_); }

  void keep(std::string_view line) {
    std::lock_guard guard(mutex_);
    std::fprintf(file_, "%.*s\n", static_cast<int>(line.size()), line.data());
    std::fflush(file_);
    if (line.starts_with("was out of contact")) ledger_.say("out");
  }
  void tell(const std::string& sentence) {
    std::lock_guard guard(mutex_);
    ledger_.say(sentence);
  }

 private:
  std::mutex mutex_;
  std::FILE* file_;
  LedgerLink ledger_;
};

/// Watches for a wall clock that is set, until the visitors have ended.
class ClockWatch {
 public:
  explicit ClockWatch(Diary& diary)
      : thread_([this, &diary](const std::stop_token& stop) {
          auto before = difference();
          while (!stop.stop_requested()) {
            std::this_thread::sleep_for(50ms);
            auto now = difference();
            if (std::chrono::abs(now - before) > 1s) diary.tell("clock");
            before = now;
          }
        }) {}

 private:
  static std::chrono::nanoseconds difference() {
    return std::chrono::system_clock::now().time_since_epoch() - Clock::now().time_since_epoch();
  }
  std::jthread thread_;
};

void visit_until_stopped(Peer& peer, const Plan& plan, const std::string& lock, std::size_t bytes,
                         std::uint64_t seed) {
  LedgerLink ledger(plan.ledger, plan.who);
  std::unique_ptr<GuardedResource> resource;
  if (bytes > 0)
    resource = std::make_unique<DataResource>(peer, lock, bytes, ledger);
  else
    resource = std::make_unique<PlainResource>(peer, lock);
  Visitor(ledger, lock, *resource, seed).run();
}

/// No peer can begin while etcd elects a leader, so this tries again until it has one.
std::unique_ptr<Peer> begun(const Plan& plan, Diary& diary) {
  Clock::time_point until = Clock::now() + plan.options.admission_patience;
  for (;;) try {
      return std::make_unique<Peer>(plan.options, plan.build);
    } catch (const std::runtime_error& error) {
      std::string what = error.what();
      diary.keep(what);
      bool may_pass = what.find("no member of the cluster answers") != std::string::npos;
      if (!may_pass || is_asked_to_leave || Clock::now() >= until) throw;
    }
}

void run(Plan plan) {
  Diary diary(plan);
  plan.options.log = [&](std::string_view line) { diary.keep(line); };
  std::unique_ptr<Peer> peer = begun(plan, diary);
  diary.tell("in");
  ClockWatch watch(diary);
  std::vector<std::jthread> visitors;
  std::vector<std::pair<std::string, std::size_t>> locks{{"alpha", 0}, {"beta", 0}};
  if (plan.has_data) locks.insert(locks.end(), {{"page", page_bytes}, {"book", book_bytes}});
  std::uint64_t seed = plan.seed;
  for (const auto& [lock, bytes] : locks)
    visitors.emplace_back([&, lock = lock, bytes = bytes, own = ++seed] {
      visit_until_stopped(*peer, plan, lock, bytes, own);
    });
  visitors.clear();
  while (!is_asked_to_leave) std::this_thread::sleep_for(5ms);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  std::signal(SIGTERM, [](int) { is_asked_to_leave = 1; });
  try {
    run(plan_of(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "chaos_worker: %s\n", error.what());
    return 1;
  }
  return 0;
}
