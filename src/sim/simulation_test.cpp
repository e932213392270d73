#include "sim/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace conch::sim::simulation_test {

using namespace std::chrono_literals;

Options of(std::string algorithm) {
  Options options;
  options.algorithm = std::move(algorithm);
  return options;
}

/// The first violated property over some seeds, if any.
std::optional<Property> broken(Options options, std::uint64_t seeds) {
  for (options.seed = 1; options.seed <= seeds; ++options.seed) {
    Result result = simulate(options);
    if (result.violation) return result.violation->property;
  }
  return {};
}

std::string trace_of(const Options& options) {
  std::ostringstream out;
  auto sink = ndjson_sink(out);
  simulate(options, sink.get());
  return out.str();
}

TEST(Simulation, TheSameSeedAndOptionsGiveTheSameTrace) {
  Options options = of("naimi-trehel");
  options.faults.lose = 0.1;
  options.cancel = 0.2;
  options.churn = 0.3;
  std::string trace = trace_of(options);
  EXPECT_EQ(trace, trace_of(options));
  ++options.seed;
  EXPECT_NE(trace, trace_of(options));
}

// The same in every build type: nothing may depend on optimisation or on the library's
// distributions.
TEST(Simulation, TraceHashesAreTheSameInEveryBuild) {
  Options options = of("naimi-trehel");
  options.clusters = {50};
  options.requests = 100;
  options.seed = 7;
  options.hold = Distribution::normal(5ms, 2ms);
  options.local_latency = Distribution::exponential(1ms);
  EXPECT_EQ(simulate(options).trace_hash, "feb04e9332ca2b15");
  options = of("maekawa");
  options.cancel = 0.3;
  options.faults.lose = 0.05;
  options.faults.storm = 200ms;
  EXPECT_EQ(simulate(options).trace_hash, "bd611573ed896ff4");
}

TEST(Simulation, WatchingARunDoesNotChangeIt) {
  Options options = of("raymond");
  std::ostringstream out;
  auto sink = shiviz_sink(out);
  EXPECT_EQ(simulate(options, sink.get()).trace_hash, simulate(options).trace_hash);
}

// [Bertier 2004, table 1]: nine hosts, three clusters, 20 requests a host.
TEST(Simulation, BroadcastCosts720LocalAnd2160GlobalMessages) {
  Options options = of("ricart-agrawala");
  options.clusters = {3, 3, 3};
  Traffic traffic = simulate(options).report.messages;
  EXPECT_EQ(traffic.local, 720u);
  EXPECT_EQ(traffic.global, 2160u);
}

TEST(Simulation, CentralizedCosts120LocalAnd360GlobalMessages) {
  Options options = of("central");
  options.clusters = {3, 3, 3};
  Traffic traffic = simulate(options).report.messages;
  EXPECT_EQ(traffic.local, 120u);
  EXPECT_EQ(traffic.global, 360u);
}

TEST(Simulation, NaimiTrehelIsInTheBandOfThePublishedTable) {
  Options options = of("naimi-trehel");
  options.clusters = {3, 3, 3};
  options.hold = Distribution::constant(500ms);
  options.think = Distribution::exponential(500ms);
  options.local_latency = Distribution::constant(300us);
  options.remote_latency = Distribution::constant(600ms);
  double wait_s = 0, global = 0;
  for (options.seed = 1; options.seed <= 20; ++options.seed) {
    MetricsReport report = simulate(options).report;
    wait_s += report.wait_s.mean / 20;
    global += static_cast<double>(report.messages.global) / 20;
  }
  EXPECT_GT(wait_s, 6.4);
  EXPECT_LT(wait_s, 7.7);
  EXPECT_GT(global, 400);
  EXPECT_LT(global, 465);
}

TEST(Simulation, ATokenThatNeverRestsNeedsTime) {
  Options options = of("ring");
  options.local_latency = options.remote_latency = Distribution::parse("0ms");
  EXPECT_THROW(validate(options), BadText);
  options.algorithm = "ring-idle-hold";
  EXPECT_NO_THROW(validate(options));
}

TEST(Simulation, EveryRequestIsServedOrWithdrawn) {
  Options options = of("suzuki-kasami");
  options.cancel = 0.5;
  MetricsReport report = simulate(options).report;
  EXPECT_EQ(report.requests, 200u);
  EXPECT_EQ(report.entries + report.withdrawn, 200u);
  EXPECT_GT(report.withdrawn, 20u);
}

TEST(Simulation, OnlyThoseAskWhoAreAskers) {
  Options options = of("ring");
  options.askers = {3, 7};
  Result result = simulate(options);
  EXPECT_FALSE(result.violation);
  EXPECT_EQ(result.report.entries, 2 * options.requests);
}

// Entering again costs nothing where permissions are kept: only the first entry takes 18 messages.
TEST(Simulation, RequestsComeInRows) {
  Options options = of("ricart-agrawala-kept");
  options.askers = {3};
  options.burst = 5;
  MetricsReport report = simulate(options).report;
  EXPECT_EQ(report.entries, 20u);
  EXPECT_LE(report.messages.total, 18u);
  options.think = Distribution::constant(1h);
  EXPECT_NEAR(simulate(options).report.duration_s, 4 * 3600, 1);
}

TEST(Simulation, RicartAgrawalaAndLamportKeepHappenedBeforeOrder) {
  for (const char* name : {"ricart-agrawala", "lamport"}) {
    Options options = of(name);
    options.chatter = 0.7;
    Result result = simulate(options);
    EXPECT_GT(result.report.application_messages, 50u);
    EXPECT_EQ(result.order, Verdict::held);
    EXPECT_EQ(broken(options, 200), std::nullopt) << name;
  }
}

TEST(Simulation, OrderIsNotCheckedInLargeGroupsUnlessAskedFor) {
  Options options = of("ricart-agrawala");
  options.clusters = {5};
  options.order_checked_up_to = 4;
  EXPECT_EQ(simulate(options).order, Verdict::not_checked);
  EXPECT_EQ(simulate(of("naimi-trehel")).order, Verdict::not_promised);
}

TEST(Simulation, TextbookMaekawaDeadlocksWhereMaekawaDoesNot) {
  EXPECT_EQ(broken(of("maekawa-textbook"), 20), Property::progress);
  EXPECT_EQ(broken(of("maekawa"), 20), std::nullopt);
}

TEST(Simulation, AFalselySuspectedHolderMakesTwo) {
  Options options = of("central");
  options.faults.scheduled = {FalseSuspicion{{Who::Role::holder, 0}, 50ms}};
  Result result = simulate(options);
  ASSERT_TRUE(result.violation);
  EXPECT_EQ(result.violation->property, Property::mutual_exclusion);
  EXPECT_NE(result.violation->what.find("fence"), std::string::npos);
}

TEST(Simulation, ALostTokenStopsEverybody) {
  Options options = of("ring");
  options.faults.drop = 10;
  options.linked = LinkUse::never;
  Result result = simulate(options);
  ASSERT_TRUE(result.violation);
  EXPECT_EQ(result.violation->property, Property::progress);
  EXPECT_EQ(result.progress, Verdict::violated);
  EXPECT_FALSE(result.waiting.empty());
}

TEST(Simulation, ADuplicatedTokenBreaksSafetyWithoutTheLink) {
  Options options = of("suzuki-kasami");
  options.faults.duplicate = 0.3;
  EXPECT_EQ(broken(options, 50), std::nullopt);
  options.linked = LinkUse::never;
  std::optional<Property> property = broken(options, 50);
  ASSERT_TRUE(property);
  EXPECT_TRUE(is_safety(*property));
}

TEST(Simulation, ARestartedHomeWithNoMemoryMakesASecondToken) {
  Options options = of("naimi-trehel");
  options.faults.scheduled = {Crash{{Who::Role::home, 0}, 100ms, 50ms}};
  std::optional<Property> property = broken(options, 5);
  ASSERT_TRUE(property);
  EXPECT_EQ(*property, Property::one_token);
}

TEST(Simulation, TheServerOutlivesCrashedClientsGivenADetector) {
  for (Who::Role role : {Who::Role::holder, Who::Role::waiter, Who::Role::idle}) {
    Options options = of("central");
    options.faults.scheduled = {Crash{{role, 0}, 50ms, {}}};
    options.faults.detect_after = 20ms;
    EXPECT_EQ(broken(options, 50), std::nullopt);
  }
}

// "... can be adapted to tolerate the crash failure of such a process, by taking it to grant all
// requests implicitly", and with it that of any other.
TEST(Simulation, RicartAgrawalaOutlivesACrashGivenADetector) {
  for (Who::Role role : {Who::Role::idle, Who::Role::waiter, Who::Role::holder}) {
    for (ChannelOrder channel : {ChannelOrder::fifo, ChannelOrder::any}) {
      Options options = of("ricart-agrawala");
      options.clusters = {5};
      options.channel = channel;
      options.cancel = 0.1;
      options.faults.scheduled = {Crash{{role, 0}, 50ms, {}}};
      EXPECT_EQ(broken(options, 20), Property::progress) << "as it stands, the reply never comes";
      options.faults.detect_after = 20ms;
      EXPECT_EQ(broken(options, role == Who::Role::idle ? 2000 : 500), std::nullopt);
    }
  }
}

// The second crash takes along what only the two crashed processes knew.
TEST(Simulation, FencesOfRicartAgrawalaIncreaseAcrossCrashes) {
  Options options = of("ricart-agrawala");
  options.clusters = {4};
  options.faults.scheduled = {Crash{{Who::Role::idle, 0}, 50ms, {}},
                              Crash{{Who::Role::idle, 0}, 90ms, {}}};
  options.faults.detect_after = 20ms;
  EXPECT_EQ(broken(options, 2000), std::nullopt);
}

TEST(Simulation, PausesDriftAndClogsOnlyDelay) {
  Options options = of("naimi-trehel");
  options.faults.scheduled = {Pause{{Who::Role::holder, 0}, 50ms, 300ms},
                              Pause{{Who::Role::waiter, 0}, 200ms, 100ms}};
  options.faults.drift = 0.05;
  options.faults.clog = {0.05, 50ms};
  Result result = simulate(options);
  EXPECT_FALSE(result.violation);
  EXPECT_GT(result.report.duration_s, simulate(of("naimi-trehel")).report.duration_s + 0.2);
}

// The second pause delays messages that came during the first, which must stay in front.
TEST(Simulation, PausesThatOverlapKeepChannelsInOrder) {
  for (const CatalogEntry& entry : catalog()) {
    if (!entry.about.is_sound() || !entry.about.needs_fifo) continue;
    Options options = of(std::string(entry.about.name));
    options.clusters = {5};
    options.requests = 3;
    options.cancel = 0.8;
    options.faults.scheduled = {Pause{Who{Who::Role::number, 0}, 5ms, 60ms},
                                Pause{Who{Who::Role::number, 0}, 50ms, 200ms}};
    EXPECT_EQ(broken(options, 1000), std::nullopt) << entry.about.name;
  }
}

TEST(Simulation, TheLinkCarriesMessagesOverAPartition) {
  Options options = of("central");
  options.faults.scheduled = {Partition{{0, 1, 2}, false, 100ms, 500ms},
                              Partition{{0}, true, 700ms, 300ms}};
  EXPECT_EQ(broken(options, 20), std::nullopt);
  options.linked = LinkUse::never;
  EXPECT_EQ(broken(options, 20), Property::progress);
}

TEST(Simulation, AfterAStormEverybodyIsServed) {
  for (const CatalogEntry& entry : catalog()) {
    if (!entry.about.is_sound()) continue;
    Options options = of(std::string(entry.about.name));
    options.faults.storm = 500ms;
    options.faults.lose = 0.05;
    EXPECT_EQ(broken(options, 20), std::nullopt) << entry.about.name;
  }
}

TEST(Simulation, MembersComeAndGo) {
  Options options = of("naimi-trehel");
  options.churn = 1;
  std::string trace = trace_of(options);
  std::size_t joins = 0;
  for (auto at = trace.find("joined"); at != std::string::npos; at = trace.find("joined", at + 1))
    ++joins;
  EXPECT_GT(joins, 70u);
  EXPECT_EQ(broken(options, 50), std::nullopt);
}

/// What each node does, a letter for each event of its process.
class Letters final : public TraceSink {
 public:
  void write(const TraceEvent& event, const Causality*) override {
    switch (event.happening) {
      case Happening::request: add(event, 'r'); break;
      case Happening::enter: add(event, 'e'); break;
      case Happening::exit: add(event, 'x'); break;
      case Happening::cancel: add(event, 'c'); break;
      case Happening::withdrawn: add(event, 'w'); break;
      case Happening::leave: add(event, 'L'); break;
      case Happening::left: add(event, 'G'); break;
      case Happening::join: add(event, 'J'); break;
      case Happening::joined: add(event, 'M'); break;
      default: break;
    }
  }
  std::map<Node, std::string> of;

 private:
  void add(const TraceEvent& event, char letter) { of[event.node] += letter; }
};

/// A letter for each stage: a request served, a request withdrawn, an absence.
std::string parsed(std::string_view letters) {
  std::string stages;
  while (!letters.empty()) {
    char stage = '?';
    std::size_t length = letters.size();
    for (auto [events, its] : {std::pair{"rex", 's'}, {"rcw", 'w'}, {"LGJM", 'a'}}) {
      if (!letters.starts_with(events)) continue;
      stage = its;
      length = std::string_view(events).size();
    }
    stages += stage;
    letters.remove_prefix(length);
  }
  return stages;
}

// [Hernane 2015, listing 1]: "request; sleep(T1); request // the previous request
// is dropped; sleep(T2); release", and then the peer leaves and creates its handle again.
TEST(Simulation, ChurnersRunTheOutOfOrderCycle) {
  for (Duration think : {0ms, 10ms, 500ms}) {
    Options options = of("naimi-trehel");
    options.churn = 0.5;
    options.think = Distribution::exponential(think);
    Letters letters;
    MetricsReport report = simulate(options, &letters).report;
    for (Node node = 0; node < 5; ++node)
      EXPECT_EQ(parsed(letters.of[node]), std::string(20, 's')) << letters.of[node];
    std::string all;
    for (Node node = 5; node < 10; ++node) {
      std::string its = parsed(letters.of[node]);
      all += its;
      for (char& c : its)
        if (c == 's' || c == 'w') c = 'r';
      EXPECT_EQ(its, "rrarrarrarrarrarrarrarrarrarr") << letters.of[node];
    }
    EXPECT_GT(std::count(all.begin(), all.end(), 'w'), 10) << think.count();
    EXPECT_GT(std::count(all.begin(), all.end(), 's'), 10) << think.count();
    EXPECT_EQ(report.entries + report.withdrawn, report.requests);
  }
}

TEST(Simulation, AStructureIsExaminedWheneverNothingIsInFlight) {
  Options options = of("elmp");
  options.think = Distribution::exponential(500ms);
  Result often = simulate(options);
  EXPECT_EQ(often.structure, Verdict::held);
  EXPECT_GT(often.structure_checks, 200u);
  options.structure_checked_up_to = 9;
  EXPECT_EQ(simulate(options).structure_checks, 1u) << "of a large group at the end only";
  EXPECT_EQ(simulate(of("naimi-trehel")).structure, Verdict::not_promised);
}

TEST(Simulation, WhatCannotBeCombinedIsRefused) {
  auto refused = [](auto change) {
    Options options = of("lamport");
    change(options);
    EXPECT_THROW(simulate(options), std::invalid_argument);
  };
  refused([](Options& o) { o.algorithm = "lamprot"; });
  refused([](Options& o) { o.channel = ChannelOrder::any; });
  refused([](Options& o) { o.churn = 0.5; });
  refused([](Options& o) { o.requests = 0; });
  refused([](Options& o) { o.faults.scheduled = {FalseSuspicion{{}, 1s}}; });
  refused([](Options& o) { o.faults.scheduled = {Crash{{Who::Role::number, 99}, 1s, {}}}; });
  refused([](Options& o) {
    o.algorithm = "maekawa";
    o.tuning.voting = VotingSetShape::plane;
  });
  refused([](Options& o) {
    o.algorithm = "naimi-trehel";
    o.channel = ChannelOrder::any;
    o.churn = 0.5;
  });
}

// Virtual time: the same on every machine.
TEST(Simulation, ReadersThatEnterTogetherGetMoreDone) {
  for (std::string algorithm : {"elmp", "central"}) {
    Options options;
    options.algorithm = algorithm;
    options.clusters = {20};
    options.requests = 50;
    options.channel = ChannelOrder::any;
    options.think = Distribution::constant(0ns);
    options.local_latency = options.remote_latency = Distribution::uniform(500us, 1500us);
    options.hold = Distribution::constant(20ms);
    double alone = simulate(options).report.throughput_per_s;
    options.readers = 0.9;
    double together = simulate(options).report.throughput_per_s;
    EXPECT_GE(together, 3 * alone) << algorithm;
  }
}

TEST(Simulation, OneNodeAloneNeedsNoMessages) {
  for (const CatalogEntry& entry : catalog()) {
    Options options = of(std::string(entry.about.name));
    options.clusters = {1};
    Result result = simulate(options);
    EXPECT_FALSE(result.violation) << entry.about.name;
    EXPECT_EQ(result.report.entries, 20u) << entry.about.name;
    EXPECT_EQ(result.report.messages.total, 0u) << entry.about.name;
  }
}

TEST(Trace, ShivizHasAHostAClockAndAnEvent) {
  Options options = of("central");
  options.clusters = {2};
  options.requests = 1;
  std::ostringstream out;
  auto sink = shiviz_sink(out);
  simulate(options, sink.get());
  EXPECT_NE(out.str().find("1 {\"1\":1}\nrequest at "), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("send -> 0 REQUEST(number 1)"), std::string::npos) << out.str();
}

TEST(Trace, TheFileNameChoosesTheFormat) {
  std::ostringstream out;
  EXPECT_NO_THROW(sink_for("x.ndjson", out));
  EXPECT_NO_THROW(sink_for("x.shiviz", out));
  EXPECT_THROW(sink_for("x.txt", out), BadText);
}

}  // namespace conch::sim::simulation_test
