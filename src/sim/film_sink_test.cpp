#include "sim/film_sink.hpp"

#include <gtest/gtest.h>

#include "sim/election.hpp"
#include "sim/overlay_simulation.hpp"
#include "sim/scenario.hpp"
#include "sim/simulation.hpp"

namespace conch::sim::film_sink_test {

/// Everything that a sink is told.
class Notes final : public TraceSink {
 public:
  explicit Notes(bool states) : states_(states) {}
  bool wants_states() const override { return states_; }
  void begin(Node node, const std::string& state) override { begun[node] = state; }
  void write(const TraceEvent& event, const Causality*) override { events.push_back(event); }
  void violate(const Violation& violation) override { violations.push_back(violation); }

  std::map<Node, std::string> begun;
  std::vector<TraceEvent> events;
  std::vector<Violation> violations;

 private:
  bool states_;
};

Options few() {
  Options options;
  options.algorithm = "naimi-trehel";
  options.clusters = {4};
  options.requests = 3;
  return options;
}

TEST(States, AreThoseAfterTheEvent) {
  Notes notes(true);
  simulate(few(), &notes);
  EXPECT_EQ(notes.begun.size(), 4U);
  std::size_t entries = 0, receptions = 0;
  for (const TraceEvent& event : notes.events) {
    auto says = [&](std::string_view text) { return event.state.find(text) != std::string::npos; };
    EXPECT_FALSE(event.state.empty());
    EXPECT_FALSE(says("members"));
    if (event.happening == Happening::enter) {
      ++entries;
      EXPECT_TRUE(says("token yes"));
      EXPECT_TRUE(says("place inside"));
    }
    // The state after the token arrived already has it.
    if (event.happening == Happening::receive && event.detail.starts_with("TOKEN")) {
      ++receptions;
      EXPECT_TRUE(says("token yes")) << event.state;
    }
    if (event.happening == Happening::exit) {
      EXPECT_FALSE(says("place inside")) << event.state;
    }
  }
  EXPECT_EQ(entries, 12U);
  EXPECT_GT(receptions, 0U);
}

TEST(States, ChangeNothingElse) {
  Notes with(true), without(false);
  EXPECT_EQ(simulate(few(), &with).trace_hash, simulate(few(), &without).trace_hash);
  ASSERT_EQ(with.events.size(), without.events.size());
  for (std::size_t i = 0; i < with.events.size(); ++i) {
    EXPECT_EQ(with.events[i].happening, without.events[i].happening);
    EXPECT_EQ(with.events[i].detail, without.events[i].detail);
    EXPECT_TRUE(without.events[i].state.empty());
  }
  EXPECT_TRUE(without.begun.empty());
}

TEST(States, OfAnElection) {
  ElectionOptions options;
  options.algorithm = "bully";
  options.nodes = 4;
  Notes notes(true);
  simulate(options, &notes);
  std::size_t elected = 0;
  for (const TraceEvent& event : notes.events) {
    if (event.happening != Happening::elected) continue;
    ++elected;
    EXPECT_NE(event.state.find("elected " + std::to_string(*event.peer)), std::string::npos);
  }
  EXPECT_GT(elected, 0U);
}

TEST(Violations, NameTheTwoHolders) {
  Options options;
  options.algorithm = "central";
  options.clusters = {10};
  options.faults.scheduled.push_back(parse_suspicion("holder@50ms"));
  Notes notes(true);
  simulate(options, &notes);
  ASSERT_EQ(notes.violations.size(), 1U);
  EXPECT_EQ(notes.violations[0].property, Property::mutual_exclusion);
  EXPECT_EQ(notes.violations[0].nodes.size(), 2U);
  EXPECT_EQ(notes.events.back().happening, Happening::enter);
  EXPECT_EQ(notes.events.back().node, notes.violations[0].nodes[0]);
}

TEST(Violations, OfAnOverlayNameTheTwoHolders) {
  OverlaySimulationOptions options = OverlaySimulationOptions::of("sigma", "parted");
  for (options.seed = 1; options.seed < 50; ++options.seed) {
    Notes notes(true);
    options.sink = &notes;
    OverlaySimulationResult result = simulate_overlay(options);
    EXPECT_EQ(notes.violations.size(), result.violation ? 1U : 0U);
    if (!result.violation || result.violation->property != Property::mutual_exclusion) continue;
    EXPECT_EQ(notes.violations[0].nodes.size(), 2U);
    return;
  }
  FAIL() << "no two holders in any of these runs";
}

bool says(const film::Builder& film, std::string_view text) {
  return film.bytes().find(text) != std::string::npos;
}

constexpr std::string_view two_holders = R"(# Two holders
# 0 is the server.

nodes 3 central
# 1 and 2 ask.
request 1
request 2
settle
----
what is said here does not matter

# The server is told
# something wrong.
suspect 0 1
settle
)";

TEST(ScenarioFilm, HasCaptionsStatesAndTheViolation) {
  EXPECT_EQ(title_of(two_holders), "Two holders");
  auto films = film_of(two_holders, {.title = "Two holders"});
  ASSERT_EQ(films.size(), 1U);
  const film::Builder& film = films[0];
  EXPECT_TRUE(says(film, R"("title":"Two holders")"));
  EXPECT_TRUE(says(film, R"("algorithm":"central","family":"central","unit":"step")"));
  EXPECT_TRUE(says(film, R"({"event":0,"text":"0 is the server.\u000a1 and 2 ask."})"));
  EXPECT_TRUE(says(film, R"("text":"The server is told something wrong."})"));
  EXPECT_TRUE(says(film, R"("property":"ME1","what":"two holders: 2 (fence 1.2) entered while )"
                         R"(1 (fence 1.1) was inside","nodes":[2,1]})"));
  EXPECT_TRUE(says(film, "holders {HOLDER(client 2, "));
}

TEST(ScenarioFilm, OfEveryGroup) {
  auto films =
      film_of("nodes 2 central\nrequest 1\n\nnodes 3 chang-roberts ids 17 24 3\nelect 17\n",
              {.title = "two"});
  ASSERT_EQ(films.size(), 2U);
  EXPECT_EQ(films[0].nodes(), 2U);
  EXPECT_TRUE(says(films[1], R"("nodes":[{"name":"17")"));
  EXPECT_TRUE(says(films[1], R"({"name":"24")"));
  EXPECT_EQ(films[1].nodes(), 3U);
  EXPECT_TRUE(film_of("request 1\n", {}).empty());
  EXPECT_EQ(film_of("nodes 2 central\nnodes 4 maekawa voting plane\nrequest 1\n", {}).size(), 1U);
}

TEST(FilmSink, PutsNodesIntoClustersAndSites) {
  FilmSink sink({.title = "x"}, 5, {.clusters = {2, 1, 2}, .sites = {1, 2}});
  EXPECT_TRUE(says(sink.film(),
                   R"({"name":"1","cluster":0,"site":0},{"name":"2","cluster":1,"site":1})"
                   R"(,{"name":"3","cluster":2,"site":1})"));
}

}  // namespace conch::sim::film_sink_test
