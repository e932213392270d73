#include "lab/setting.hpp"

#include <gtest/gtest.h>

#include "lab/experiment.hpp"
#include "sim/distribution.hpp"

namespace conch::lab::setting_test {

constexpr ExperimentOption nodes{
    .name = "nodes", .about = "nodes", .full = "500,1000", .smoke = "200", .least = 2, .most = 9e6};
constexpr ExperimentOption stretch{
    .name = "stretch", .about = "stretch", .full = "2.1", .most = 10, .is_whole = false};

using Values = std::vector<double>;

TEST(ExperimentOption, IsOneNumberOrSeveral) {
  EXPECT_EQ(nodes.parse("700"), Values{700});
  EXPECT_EQ(nodes.parse("700,20,1KiB,20"), (Values{20, 700, 1024}));
  EXPECT_EQ(nodes.parse("2MiB"), Values{2 << 20});
  EXPECT_EQ(stretch.parse("1.5"), Values{1.5});
}

TEST(ExperimentOption, RefusesWhatItDoesNotTake) {
  for (const char* text : {"", "x", "1", "10000000", "2.5", "100,", "5km", "nan"})
    EXPECT_THROW(nodes.parse(text), BadText) << text;
  for (const char* text : {"0.5", "11", "1.5,2"})
    EXPECT_THROW(stretch.parse(text), BadText) << text;
}

TEST(ExperimentOption, HasTheValuesOfTheNextLargerScale) {
  EXPECT_EQ(nodes.usual(Scale::quick), "500,1000");
  EXPECT_EQ(nodes.usual(Scale::smoke), "200");
  EXPECT_EQ(stretch.usual(Scale::smoke), "2.1");
}

/// Otherwise a misprint in a table of settings would show only when its experiment is run.
TEST(Experiments, HaveSettingsThatCanBeRead) {
  for (const Experiment& experiment : experiments())
    for (Scale scale : {Scale::smoke, Scale::quick, Scale::full}) {
      auto setup = experiment.setup_at(scale);
      EXPECT_EQ(setup.settings.size(), experiment.settings.size()) << experiment.name;
    }
}

TEST(Experiments, SayWhatTheyTake) {
  const Experiment& load = find_experiment("p2p-load");
  auto setup = load.setup_at(Scale::full);
  load.set(setup, "nodes", "500");
  EXPECT_EQ(setup.number("nodes"), 500u);
  EXPECT_EQ(setup.changed, " --nodes 500");
  try {
    load.set(setup, "cities", "5");
    FAIL();
  } catch (const BadText& error) {
    EXPECT_STREQ(error.what(),
                 "p2p-load takes no --cities; it takes --nodes, --replicas, --resources, --rounds, "
                 "--requests");
  }
}

}  // namespace conch::lab::setting_test
