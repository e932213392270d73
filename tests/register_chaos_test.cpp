// Twenty peers change the roster at once, while they are killed and stopped at random. Afterwards
// the views must form one chain, in which every accepted proposal stands once; no peer may have
// waited for a stopped one; and no lease may have ended while its owner lived and relied on it.
//
// CONCH_SEED and CONCH_SECONDS choose another seed and a longer run. The seed decides which peer is
// hit and when, not how the processes interleave.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "core/testing/dice.hpp"
#include "register/file_register.hpp"
#include "register/testing/scratch.hpp"
#include "register_crowd.hpp"

namespace conch::register_chaos_test {

using namespace std::chrono_literals;
using recovery::RegisterSnapshot;
using recovery::View;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Plan {
  std::string name;
  std::uint64_t seconds = 4;
  /// How many views the register remembers: all of them, or so few that it forgets all the time.
  std::uint64_t segment_views = 1'000'000'000;
  bool durable = false;
};
void PrintTo(const Plan& plan, std::ostream* out) { *out << plan.name; }

constexpr std::size_t peers = 20;
constexpr Duration lease = 500ms;
constexpr Duration patience = 20s;

class Chaos : public testing::TestWithParam<Plan> {
 protected:
  Chaos()
      : seed_(from_environment("CONCH_SEED", 1)),
        seconds_(from_environment("CONCH_SECONDS", GetParam().seconds)),
        dice_(seed_),
        observer_(scratch_.path(), {lease, GetParam().segment_views, GetParam().durable}) {
    for (std::uint64_t id = 1; id <= peers; ++id) start(id);
  }

  std::string repeat() const {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return "\n  repeat: CONCH_SEED=" + std::to_string(seed_) +
           " CONCH_SECONDS=" + std::to_string(seconds_) +
           " register_chaos_test --gtest_filter=" + test->test_suite_name() + "." + test->name();
  }

  // Faults and their consequences.

  void start(std::uint64_t id) {
    PeerInstance self{NodeId{id}, Incarnation{++incarnations_}};
    all_.push_back(std::make_unique<CrowdPeer>(
        self, std::vector<std::string>{
                  REGISTER_PEER, scratch_.path(), std::to_string(id), std::to_string(incarnations_),
                  std::to_string(dice_.number()), GetParam().durable ? "1" : "0",
                  std::to_string(GetParam().segment_views)}));
    living_.push_back(all_.back().get());
  }
  void remove(CrowdPeer& peer) {
    std::erase(living_, &peer);
    wake_at_.erase(&peer);
  }
  void kill(CrowdPeer& peer) {
    killed_at_[peer.self()] = file::since_boot();
    bool was_stopped = peer.is_stopped();
    peer.kill();
    remove(peer);
    seen("somebody was killed");
    if (was_stopped) seen("somebody was killed while stopped");
    if (peer.last_line().starts_with("try")) seen("somebody was killed inside of a proposal");
    expect_ended(peer);
    start(peer.self().id.value);
  }
  static bool has_held(const CrowdPeer& peer) {
    return std::any_of(peer.lines().begin(), peer.lines().end(),
                       [](const std::string& line) { return line.starts_with("held"); });
  }
  /// Expects that the lease of a dead member ended at once. A member without a lease (it was
  /// stopped for too long before) is not checked: its time has to run out.
  void expect_ended(const CrowdPeer& peer) {
    const PeerInstance& life = peer.self();
    if (!has_held(peer)) return;
    RegisterSnapshot snapshot = observer_.read();
    bool evicted = std::count(snapshot.view.evicted.begin(), snapshot.view.evicted.end(), life);
    if (!evicted && !snapshot.view.roster.contains(life)) return;
    EXPECT_TRUE(snapshot.has_ended(life)) << "a dead process has a lease" << repeat();
    seen("the lease of a dead member had ended at once");
  }
  void stop(CrowdPeer& peer) {
    peer.stop();
    if (!peer.is_stopped()) return;
    bool for_long = dice_.percent(20);
    auto pause = for_long ? lease + lease * dice_.below(100) / 100 : 1ms * dice_.below(60);
    wake_at_[&peer] = file::since_boot() + pause;
    stops_.emplace(&peer, peer.lines().size());
    seen("somebody was stopped");
    if (peer.last_line().starts_with("try")) seen("somebody was stopped inside of a proposal");
    if (for_long && has_held(peer)) seen("somebody was stopped for longer than its lease");
  }
  void wake_whose_time_has_come() {
    for (auto entry = wake_at_.begin(); entry != wake_at_.end();) {
      bool now = entry->second <= file::since_boot();
      if (now) entry->first->wake();
      entry = now ? wake_at_.erase(entry) : std::next(entry);
    }
  }

  void act() {
    CrowdPeer& peer = *dice_.one_of(living_);
    if (dice_.percent(25)) {
      kill(peer);
    } else if (!peer.is_stopped() && wake_at_.size() < peers / 2) {
      stop(peer);
    }
  }
  /// Reads the output of all peers until this time.
  void listen(Duration until) {
    std::vector<pollfd> outputs;
    for (const CrowdPeer* peer : living_) outputs.push_back({peer->output(), POLLIN, 0});
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - file::since_boot());
    ::poll(outputs.data(), outputs.size(),
           static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    for (CrowdPeer* peer : living_) peer->listen();
  }
  void bury_the_dead(bool replace) {
    for (CrowdPeer* peer : std::vector<CrowdPeer*>(living_)) {
      if (!peer->has_ended()) continue;
      EXPECT_TRUE(peer->status() == 3 || (peer->status() == 0 && !replace))
          << "status " << peer->status() << " of a peer that said: " << peer->last_line()
          << repeat();
      if (peer->status() == 3) seen("somebody was put out");
      remove(*peer);
      expect_ended(*peer);
      if (replace) start(peer->self().id.value);
    }
  }
  void expect_nobody_waits() {
    for (const CrowdPeer* peer : living_) {
      if (peer->is_stopped()) continue;
      ASSERT_LT(file::since_boot() - peer->last_word(), patience)
          << "peer " << peer->self().id.value << " hangs after: " << peer->last_line() << repeat();
    }
    if (wake_at_.size() >= 5) seen("five were stopped at once");
  }
  /// Whether the planned time is over and enough has happened. A busy machine gets more time.
  bool is_over(Duration now) const {
    auto often = [&](const char* what) {
      auto found = seen_.find(what);
      return found != seen_.end() && found->second >= 3;
    };
    bool enough = often("somebody was killed inside of a proposal") &&
                  often("somebody was stopped inside of a proposal") &&
                  often("somebody was stopped for longer than its lease") &&
                  often("the lease of a dead member had ended at once");
    return now > end_ && (enough || now > end_ + patience);
  }
  void rage() {
    Duration next = file::since_boot();
    while (!is_over(file::since_boot()) && !HasFailure()) {
      listen(next);
      wake_whose_time_has_come();
      bury_the_dead(true);
      expect_nobody_waits();
      if (file::since_boot() < next) continue;
      act();
      next = file::since_boot() + 1ms * dice_.below(15);
    }
  }
  void calm_down() {
    for (auto& [peer, time] : wake_at_) peer->wake();
    wake_at_.clear();
    std::set<CrowdPeer*> asked;
    while (!living_.empty() && !HasFailure()) {
      // A peer that has not begun has no handler for the signal yet.
      for (CrowdPeer* peer : living_)
        if (!peer->lines().empty() && asked.insert(peer).second) peer->ask_to_leave();
      listen(file::since_boot() + 20ms);
      bury_the_dead(false);
      expect_nobody_waits();
    }
  }

  // The verdict.

  struct Claims {
    std::map<std::uint64_t, std::string> accepted;
    std::set<std::string> refused;
    /// Proposals of peers that were killed before they got an answer.
    std::map<std::string, std::uint64_t> open;
    std::map<PeerInstance, Duration> believed_until;
    std::vector<std::pair<PeerInstance, Duration>> ended;
    /// When each peer knew that it was out.
    std::map<PeerInstance, Duration> left;
    /// The numbers of views that were proposed and refused after the register had forgotten them.
    std::set<std::uint64_t> forgotten;
  };
  Claims claims() {
    Claims all;
    for (const auto& peer : all_) {
      for (std::size_t i = 0; i < peer->lines().size(); ++i) {
        note(*peer, peer->lines()[i], all);
        if (i > 0 && stops_.contains({peer.get(), i}))
          note_waking(peer->lines()[i - 1], peer->lines()[i]);
      }
    }
    return all;
  }
  /// Notes the answer to a proposal during which the peer was stopped.
  void note_waking(const std::string& before, const std::string& after) {
    if (!before.starts_with("try")) return;
    if (after.starts_with("no")) seen("somebody woke inside of a proposal and was refused");
    if (after.starts_with("yes")) seen("somebody woke inside of a proposal and was accepted");
  }
  void note(const CrowdPeer& peer, const std::string& line, Claims& all) {
    std::istringstream words(line);
    std::string verb;
    std::string mark;
    std::uint64_t number = 0;
    std::uint64_t newest = 0;
    words >> verb;
    if (verb == "try" && words >> number >> mark) {
      all.open[mark] = number;
    } else if (verb == "yes" && words >> number >> mark >> newest) {
      EXPECT_TRUE(all.accepted.emplace(number, mark).second)
          << "view " << number << " was accepted twice: " << mark << " and " << all.accepted[number]
          << repeat();
      all.open.erase(mark);
    } else if (verb == "no" && words >> number >> mark >> newest) {
      all.refused.insert(mark);
      all.open.erase(mark);
      if (newest >= number + GetParam().segment_views) all.forgotten.insert(number);
      seen("a proposal was refused");
    } else if (verb == "held" && words >> number) {
      all.believed_until[peer.self()] = Duration(static_cast<std::int64_t>(number));
      seen("a lease was renewed");
    } else if (verb == "ended" && words >> number >> newest) {
      std::int64_t time = 0;
      words >> time;
      all.ended.emplace_back(PeerInstance{NodeId{number}, Incarnation{newest}}, Duration(time));
    } else if ((verb == "leaving" || verb == "out") && words >> number) {
      all.left[peer.self()] = Duration(static_cast<std::int64_t>(number));
    } else if (verb == "broken") {
      ADD_FAILURE() << "peer " << peer.self().id.value << ": " << line << repeat();
    }
  }
  /// Expects that no lease ended before the time that its peer relied on, unless the peer died or
  /// left.
  void expect_beliefs_were_true(const Claims& all) {
    auto before = [](const std::map<PeerInstance, Duration>& times, const PeerInstance& life,
                     Duration time) {
      auto found = times.find(life);
      return found != times.end() && found->second <= time;
    };
    for (const auto& [life, time] : all.ended) {
      auto believed = all.believed_until.find(life);
      if (believed == all.believed_until.end()) continue;
      if (before(killed_at_, life, time) || before(all.left, life, time)) continue;
      EXPECT_GE(time, believed->second)
          << "the lease of " << life.id.value << " ended while it believed in it" << repeat();
      seen("a lease ran out by time");
    }
  }
  void expect_one_chain(const Claims& all, std::uint64_t newest) {
    std::map<std::uint64_t, std::string> chain = remembered(newest);
    std::map<std::uint64_t, std::set<std::string>> open;
    for (const auto& [mark, number] : all.open) open[number].insert(mark);
    for (std::uint64_t number = 1; number <= newest; ++number) {
      auto accepted = all.accepted.find(number);
      auto kept = chain.find(number);
      if (accepted != all.accepted.end()) {
        EXPECT_TRUE(kept == chain.end() || kept->second == accepted->second)
            << "view " << number << " was " << accepted->second << repeat();
      } else if (kept == chain.end()) {
        EXPECT_TRUE(open.contains(number) || all.forgotten.contains(number))
            << "nobody made view " << number << repeat();
      } else {
        EXPECT_TRUE(open[number].contains(kept->second))
            << "view " << number << " is " << kept->second << ", which was "
            << (all.refused.contains(kept->second) ? "refused" : "never proposed") << repeat();
        seen("somebody was killed after its view was accepted");
      }
    }
    EXPECT_TRUE(all.accepted.empty() || all.accepted.rbegin()->first <= newest)
        << "an accepted view was lost" << repeat();
  }
  /// The views of the chain as the register remembers them, by number.
  std::map<std::uint64_t, std::string> remembered(std::uint64_t newest) {
    std::map<std::uint64_t, std::string> chain;
    for (const auto& segment : std::filesystem::directory_iterator(scratch_.path())) {
      if (!file::after("views.", segment.path().filename().string())) continue;
      for (const auto& entry : std::filesystem::directory_iterator(segment)) {
        std::ifstream stream(entry.path(), std::ios::binary);
        std::string bytes((std::istreambuf_iterator<char>(stream)), {});
        View view = file::view_file(bytes, entry.path().string()).view;
        EXPECT_TRUE(chain.emplace(view.number, view.algorithm).second) << "twice" << repeat();
      }
    }
    std::uint64_t first = chain.empty() ? 0 : chain.begin()->first;
    EXPECT_EQ(chain.size(), newest - first + 1) << "the chain has a hole" << repeat();
    return chain;
  }
  void expect_nothing_is_left() {
    View last = observer_.read().view;
    View empty{last.number + 1, Epoch{last.epoch.value + 1}, "end", PeerInstance{}, {}, {}};
    EXPECT_TRUE(observer_.propose(empty).accepted);
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path())) {
      std::string name = entry.path().filename().string();
      EXPECT_FALSE(file::after("life.", name)) << name << " is left over" << repeat();
      works_left_ += file::after("work.", name).has_value();
      segments_left_ += file::after("views.", name).has_value();
    }
    EXPECT_EQ(works_left_, 1) << "besides ours" << repeat();
    EXPECT_LE(segments_left_, 3) << repeat();
  }

  void seen(const std::string& what) { ++seen_[what]; }
  void expect_seen(const std::vector<std::string>& things) {
    for (const std::string& thing : things)
      EXPECT_TRUE(seen_.contains(thing)) << "never seen: " << thing << repeat();
  }

  std::uint64_t seed_;
  std::uint64_t seconds_;
  Dice dice_;
  ScratchFolder scratch_;
  FileRegister observer_;
  Duration end_ = file::since_boot() + std::chrono::seconds(seconds_);
  std::uint64_t incarnations_ = 0;
  std::vector<std::unique_ptr<CrowdPeer>> all_;
  std::vector<CrowdPeer*> living_;
  std::map<CrowdPeer*, Duration> wake_at_;
  /// Which peers were stopped, and after how many lines.
  std::set<std::pair<const CrowdPeer*, std::size_t>> stops_;
  std::map<PeerInstance, Duration> killed_at_;
  std::map<std::string, std::size_t> seen_;
  int works_left_ = 0;
  int segments_left_ = 0;
};

TEST_P(Chaos, LeavesOneChain) {
  rage();
  calm_down();
  std::uint64_t newest = observer_.read().view.number;
  Claims all = claims();
  expect_one_chain(all, newest);
  expect_beliefs_were_true(all);
  expect_nothing_is_left();
  expect_seen({"somebody was killed", "somebody was killed inside of a proposal",
               "the lease of a dead member had ended at once", "somebody was stopped",
               "somebody was stopped inside of a proposal", "somebody was put out",
               "a proposal was refused", "a lease was renewed", "a lease ran out by time"});
  std::cout << newest << " views, " << all_.size() << " processes; the register"
            << (GetParam().durable ? " is durable" : " is not durable") << "\n";
  for (const auto& [thing, times] : seen_) std::cout << "  " << times << "  " << thing << "\n";
}

INSTANTIATE_TEST_SUITE_P(Register, Chaos,
                         testing::Values(Plan{"Remembering", 4, 1'000'000'000, false},
                                         Plan{"Forgetting", 4, 4, false},
                                         Plan{"Durable", 4, 64, true}),
                         [](const auto& info) { return info.param.name; });

}  // namespace conch::register_chaos_test
