// Measures what an algorithm gains if it knows which peers are near, with three sites of three
// peers, 30 ms apart.
//
// Both algorithms do the same work at the same time, each in a rig of its own, so other load on the
// machine slows both alike. Messages are those of the lock alone, as the peers' traces record them;
// all other traffic on the wire (leases, acknowledgements) is counted beside them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>

#include "net/clock.hpp"
#include "site_workers.hpp"
#include "trace/line.hpp"

namespace conch::clusters_test {

using namespace std::chrono_literals;

constexpr std::size_t entries_per_worker = 30;
constexpr std::size_t entries = testing::SiteWorkers::workers * entries_per_worker;
constexpr auto one_way_delay = 30ms;
constexpr auto idle_time = 2s;
/// A lease so long that no peer is evicted, however busy the machine is.
constexpr const char* lease = "lease=60000";

/// A time as traces write it: nanoseconds of the machine's clock.
std::int64_t count(Time time) { return time.time_since_epoch().count(); }
struct Numbers {
  double wait_ms_mean = 0;
  double wait_ms_max = 0;
  double seconds = 0;
  /// The lock's messages from one site to another.
  std::map<std::string, std::uint64_t> messages_by_type;
  /// TCP segments with a payload that crossed the wire during the work, and how many cross it in
  /// the same time while nobody wants the lock.
  std::uint64_t segments = 0;
  double segments_idle = 0;

  std::uint64_t messages() const {
    std::uint64_t all = 0;
    for (const auto& [type, count] : messages_by_type) all += count;
    return all;
  }
};

class Group : public testing::SiteWorkers {
 public:
  explicit Group(std::vector<std::string> words)
      : SiteWorkers({.delay = one_way_delay}, entries_per_worker, std::move(words)) {}

  void begin() {
    begun_ = net::steady_now();
    before_ = wire().traffic();
    go_on();
  }
  /// Whether the work has ended. Call this often: it takes the time and the traffic of the end.
  bool has_ended() {
    if (!ended_ && have_met(Meeting::done)) {
      ended_ = net::steady_now();
      after_ = wire().traffic();
    }
    return ended_.has_value();
  }
  /// Counts the traffic from the end of the work to now as the idle traffic.
  Numbers finish() {
    Numbers numbers;
    numbers.seconds = seconds_of(*ended_ - begun_);
    numbers.segments = (after_ - before_).segments;
    auto idly = static_cast<double>((wire().traffic() - after_).segments);
    numbers.segments_idle = idly / seconds_of(net::steady_now() - *ended_) * numbers.seconds;
    expect_all_end();
    read_waits(numbers);
    read_traces(numbers);
    return numbers;
  }

 private:
  void read_waits(Numbers& numbers) {
    std::vector<double> waits_ms;
    std::istringstream text(output());
    for (std::string word; text >> word;)
      if (word == "waited") text >> word, waits_ms.push_back(std::stod(word) / 1e6);
    ASSERT_EQ(waits_ms.size(), entries);
    numbers.wait_ms_mean = std::accumulate(waits_ms.begin(), waits_ms.end(), 0.0) / entries;
    numbers.wait_ms_max = *std::ranges::max_element(waits_ms);
  }
  void read_traces(Numbers& numbers) {
    std::map<std::string, std::size_t, std::less<>> sites_of_peers;
    for_each_line([&](std::size_t worker, const trace::Line& line) {
      sites_of_peers.emplace(line.node, site_of(worker));
    });
    for_each_line([&](std::size_t worker, const trace::Line& line) {
      if (line.happening != trace::Happening::send || line.lock != "arena") return;
      if (line.at < count(begun_) || line.at > count(*ended_)) return;
      if (sites_of_peers.find(line.peer)->second == site_of(worker)) return;
      ++numbers.messages_by_type[std::string(line.detail)];
    });
  }
  template <class Do>
  void for_each_line(Do&& act) {
    for (std::size_t worker = 0; worker < workers; ++worker) {
      std::ifstream file(trace(worker));
      std::string why;
      for (std::string text; std::getline(file, text);) {
        std::optional<trace::Line> line = trace::parse_line(text, why);
        ASSERT_TRUE(line) << why;
        act(worker, *line);
      }
    }
  }

  Time begun_{};
  std::optional<Time> ended_;
  rig::Traffic before_, after_;
};

void print(const std::string& name, const Numbers& numbers) {
  std::string types;
  for (const auto& [type, count] : numbers.messages_by_type)
    types += fmt::format(" {} {}", count, type);
  fmt::print("{:<26} {:>6.1f} {:>8.1f} {:>9} {:>10.2f} {:>9} {:>5.0f} {:>8.1f} {}\n", name,
             numbers.wait_ms_mean, numbers.wait_ms_max, numbers.messages(),
             static_cast<double>(numbers.messages()) / entries, numbers.segments,
             numbers.segments_idle, numbers.seconds, types);
}

TEST(Clusters, WhoKnowsWhoIsNearWaitsLessAndSendsLess) {
  if (auto missing = rig::missing_for_sites()) GTEST_SKIP() << *missing;
  Group plain({"algorithm=naimi-trehel", lease});
  Group near({"algorithm=preempt-aggregation", "eps=2", lease});
  auto await_both = [&](auto&& predicate) {
    bool came = testing::await([&] { return predicate(plain) & predicate(near); }, 4 * patience);
    ASSERT_TRUE(came) << plain.output() << near.output();
  };
  await_both([](Group& group) { return group.have_met(Group::Meeting::joined); });
  plain.go_on();
  near.go_on();
  await_both([](Group& group) { return group.have_met(Group::Meeting::warm); });
  plain.begin();
  near.begin();
  await_both([](Group& group) { return group.has_ended(); });
  std::this_thread::sleep_for(idle_time);
  Numbers of_plain = plain.finish();
  Numbers of_near = near.finish();

  fmt::print("{:<26} {:>6} {:>8} {:>9} {:>10} {:>9} {:>5} {:>8}\n", "", "ms", "longest", "messages",
             "per entry", "segments", "idle", "seconds");
  print("naimi-trehel", of_plain);
  print("preempt-aggregation, eps 2", of_near);
  plain.expect_exclusion();
  near.expect_exclusion();
  EXPECT_LT(3 * of_near.messages(), 2 * of_plain.messages());
  EXPECT_LT(of_near.wait_ms_mean, of_plain.wait_ms_mean);
}

}  // namespace conch::clusters_test
