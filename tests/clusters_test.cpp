// Three sites of three peers, 30 ms apart: what an algorithm that knows who is near gains.
//
// Both algorithms do the same work at the same time, each in a rig of its own: whatever else the
// machine does, it does to both.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>

#include "arena.hpp"
#include "net/courier.hpp"
#include "rig/rig.hpp"
#include "trace/line.hpp"

namespace conch {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t sites = 3;
constexpr std::size_t peers_per_site = 3;
constexpr std::size_t workers = sites * peers_per_site;
constexpr int entries_per_worker = 30;
constexpr auto one_way = 30ms;
constexpr auto idle_time = 2s;

struct Numbers {
  double wait_ms_mean = 0;
  double wait_ms_max = 0;
  double seconds = 0;
  /// Of the lock, from one site to another, by the peers' own traces.
  std::uint64_t messages = 0;
  std::map<std::string, std::uint64_t> messages_by_type;
  /// TCP segments with something in them that crossed the wire; and how many do in the same time
  /// while nobody wants the lock: leases and acknowledgements of the peers' own.
  std::uint64_t segments = 0;
  double segments_idle = 0;
};

class Group {
 public:
  Group(std::uint64_t seed, std::vector<std::string> words)
      : rig_(sites, seed), arena_(rig_.folder() + "/arena"), words_(std::move(words)) {
    rig_.wire().set({.delay = one_way});
    arena_->ready_wanted = workers + 1;
    for (std::size_t worker = 0; worker < workers; ++worker) start(worker);
  }

  /// All workers have come to this meeting, and wait for us.
  bool has_met(unsigned meeting) const {
    return arena_->ready + 1 == meeting * arena_->ready_wanted;
  }
  void go_on() { ++arena_->ready; }

  void begin() {
    begun_ = net::steady_now();
    before_ = rig_.wire().traffic();
    go_on();
  }
  bool has_ended() const { return ended_ != Time{}; }
  void end() {
    ended_ = net::steady_now();
    after_ = rig_.wire().traffic();
    numbers_.seconds = seconds(begun_, ended_);
  }
  /// What crosses the wire between the end and now would have crossed it anyway.
  void end_idle_time() {
    double idle = seconds(ended_, net::steady_now());
    auto segments = static_cast<double>((rig_.wire().traffic() - after_).segments);
    numbers_.segments_idle = segments / idle * numbers_.seconds;
    go_on();
  }
  Numbers finish() {
    for (Process* worker : processes_) EXPECT_EQ(worker->await_exit(), 0) << worker->output();
    read_waits();
    read_traces();
    numbers_.segments = (after_ - before_).segments;
    return numbers_;
  }
  const testing::SharedArena& arena() const { return arena_; }
  std::string output() {
    std::string all;
    for (Process* worker : processes_) all += worker->output();
    return all;
  }

 private:
  std::string trace(std::size_t worker) const {
    return rig_.folder() + "/trace" + std::to_string(worker);
  }
  /// The first one has the register, and is known to all.
  void start(std::size_t worker) {
    std::size_t site = worker / peers_per_site;
    const std::string& host = rig_.site(site).address();
    std::string known = rig_.site(0).address() + ":7947";
    std::vector<std::string> words{SITE_WORKER, rig_.folder(), std::to_string(worker + 1),
                                   std::to_string(entries_per_worker)};
    words.insert(words.end(), words_.begin(), words_.end());
    words.push_back("cluster=" + rig_.site(site).name());
    words.push_back("listen=" + (worker == 0 ? known : host + ":0"));
    words.push_back("trace=" + trace(worker));
    if (site != 0) words.push_back("join=" + known);
    Process& process = rig_.start(site, words);
    processes_.push_back(&process);
    if (worker == 0) {
      EXPECT_TRUE(process.await_output("joined")) << process.output();
    }
  }
  void read_waits() {
    std::vector<double> waits;
    for (Process* worker : processes_) {
      std::istringstream text(worker->output());
      for (std::string word; text >> word;) {
        if (word != "waited") continue;
        text >> word;
        waits.push_back(std::stod(word) / 1e6);
      }
    }
    ASSERT_EQ(waits.size(), workers * entries_per_worker);
    numbers_.wait_ms_mean =
        std::accumulate(waits.begin(), waits.end(), 0.0) / static_cast<double>(waits.size());
    numbers_.wait_ms_max = *std::max_element(waits.begin(), waits.end());
  }
  void read_traces() {
    std::map<std::string, std::size_t> site_of;
    for (std::size_t worker = 0; worker < workers; ++worker)
      for_each_line(worker, [&](const trace::Line& line) {
        site_of[std::string(line.node)] = worker / peers_per_site;
      });
    for (std::size_t worker = 0; worker < workers; ++worker)
      for_each_line(worker, [&](const trace::Line& line) {
        if (line.happening != trace::Happening::send || line.lock != "arena") return;
        if (line.at < count(begun_) || line.at > count(ended_)) return;
        if (site_of.at(std::string(line.peer)) == worker / peers_per_site) return;
        ++numbers_.messages;
        ++numbers_.messages_by_type[std::string(line.detail)];
      });
  }
  static double seconds(Time from, Time to) {
    return std::chrono::duration<double>(to - from).count();
  }
  static std::int64_t count(Time time) { return time.time_since_epoch().count(); }
  template <class Do>
  void for_each_line(std::size_t worker, Do&& act) {
    std::ifstream file(trace(worker));
    std::string why;
    for (std::string text; std::getline(file, text);) {
      std::optional<trace::Line> line = trace::parse_line(text, why);
      ASSERT_TRUE(line) << why;
      act(*line);
    }
  }

  rig::Rig rig_;
  testing::SharedArena arena_;
  std::vector<std::string> words_;
  std::vector<Process*> processes_;
  Time begun_{}, ended_{};
  rig::Traffic before_, after_;
  Numbers numbers_;
};

void print(const std::string& name, const Numbers& numbers) {
  double entries = workers * entries_per_worker;
  std::string types;
  for (const auto& [type, count] : numbers.messages_by_type)
    types += fmt::format(" {} {}", count, type);
  fmt::print("{:<26} {:>9.1f} {:>9.1f} {:>9} {:>9.2f} {:>9} {:>6.0f} {:>6.1f} {}\n", name,
             numbers.wait_ms_mean, numbers.wait_ms_max, numbers.messages,
             static_cast<double>(numbers.messages) / entries, numbers.segments,
             numbers.segments_idle, numbers.seconds, types);
}

TEST(Clusters, WhoKnowsWhoIsNearWaitsLessAndSendsLess) {
  if (auto missing = rig::missing_for_sites()) GTEST_SKIP() << *missing;
  auto far = std::make_unique<Group>(1, std::vector<std::string>{"algorithm=naimi-trehel"});
  auto near = std::make_unique<Group>(
      1, std::vector<std::string>{"algorithm=preempt-aggregation", "eps=2"});
  std::vector<Group*> both{far.get(), near.get()};
  auto await = [&](unsigned meeting, auto&& ready) {
    Stopwatch watch;
    std::ptrdiff_t count = 0;
    while (count < 2 && watch.elapsed() < 3 * patience) {
      std::this_thread::sleep_for(1ms);
      count = std::ranges::count_if(both, [&](Group* group) { return ready(*group, meeting); });
    }
    for (Group* group : both) EXPECT_EQ(count, 2) << "nobody comes: " << group->output();
  };
  auto has_met = [](Group& group, unsigned meeting) { return group.has_met(meeting); };
  await(1, has_met);
  for (Group* group : both) group->go_on();
  await(2, has_met);
  for (Group* group : both) group->begin();
  await(3, [](Group& group, unsigned meeting) {
    if (group.has_met(meeting) && !group.has_ended()) group.end();
    return group.has_ended();
  });
  std::this_thread::sleep_for(idle_time);
  for (Group* group : both) group->end_idle_time();
  Numbers of_far = far->finish();
  Numbers of_near = near->finish();
  print("naimi-trehel", of_far);
  print("preempt-aggregation eps 2", of_near);
}

}  // namespace
}  // namespace conch
