#include "lab/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "lab/experiment.hpp"

namespace conch::lab::figure_test {

TEST(Sample, HasAMeanAndADeviation) {
  Sample sample;
  EXPECT_EQ(sample.count(), 0u);
  sample.add(4);
  EXPECT_EQ(sample.mean(), 4);
  EXPECT_EQ(sample.deviation(), 0);
  sample.add(1);
  sample.add(7);
  EXPECT_DOUBLE_EQ(sample.mean(), 4);
  EXPECT_DOUBLE_EQ(sample.deviation(), 3);
}

TEST(Figure, FindsItsSeriesByNameAndByWhose) {
  Figure figure;
  figure.at("a").points.push_back({1, 2});
  figure.at("a", Whose::paper).points.push_back({1, 3});
  figure.at("a").points.push_back({2, 4});
  ASSERT_EQ(figure.series.size(), 2u);
  EXPECT_EQ(figure.series[0].points.size(), 2u);
}

void check_axis(const Axis& axis) {
  EXPECT_FALSE(axis.label.empty());
  // Ratios and eps have no unit.
  bool needs_unit = axis.names.empty() && axis.label != "algorithm" && axis.label != "eps" &&
                    axis.label.find('/') == std::string::npos;
  if (needs_unit) {
    EXPECT_FALSE(axis.unit.empty()) << axis.label;
  }
}

void check(const Figure& figure, const Series& series) {
  SCOPED_TRACE(series.name);
  ASSERT_FALSE(series.points.empty());
  for (const Datum& datum : series.points) {
    EXPECT_TRUE(std::isfinite(datum.x) && std::isfinite(datum.y) && std::isfinite(datum.error));
    EXPECT_GE(datum.error, 0);
    if (!figure.x.names.empty()) {
      EXPECT_LT(datum.x, static_cast<double>(figure.x.names.size()));
    }
    if (figure.x.spacing == Spacing::log) {
      EXPECT_GT(datum.x, 0);
    }
    if (figure.y.spacing == Spacing::log) {
      EXPECT_GT(datum.y, 0);
    }
  }
}

void check(const Figure& figure) {
  SCOPED_TRACE(figure.title);
  EXPECT_FALSE(figure.title.empty());
  EXPECT_NE(figure.of.find("seed 00"), std::string::npos) << figure.of;
  check_axis(figure.x);
  check_axis(figure.y);
  std::set<std::pair<Whose, std::string>> names;
  std::size_t ours = 0;
  for (const Series& series : figure.series) {
    check(figure, series);
    names.insert({series.whose, series.name});
    ours += series.whose == Whose::ours && series.points.size() >= 2;
  }
  EXPECT_EQ(names.size(), figure.series.size());
  EXPECT_GE(ours, 1u);
}

void check(const Findings& findings) {
  EXPECT_FALSE(findings.figures.empty());
  std::set<std::string> titles;
  for (const Figure& figure : findings.figures) {
    check(figure);
    titles.insert(figure.of + figure.title);
  }
  EXPECT_EQ(titles.size(), findings.figures.size());
  for (const Claim& claim : findings.claims) {
    EXPECT_FALSE(claim.of.empty());
    EXPECT_FALSE(claim.says.empty());
    EXPECT_FALSE(claim.ours.empty());
  }
}

TEST(Experiments, HaveErrorBarsAtTheQuickScale) {
  for (std::string_view name : {"textbook", "hierarchical"}) {
    const Experiment& experiment = find_experiment(name);
    Findings findings =
        experiment.run({.seeds = experiment.seeds_at(Scale::quick), .scale = Scale::quick});
    check(findings);
    bool varies = false;
    for (const Series& series : findings.figures[0].series)
      for (const Datum& datum : series.points) varies |= datum.error > 0;
    EXPECT_TRUE(varies) << name;
  }
}

/// All of them, with every figure and table of measurements that the seeds have.
TEST(Experiments, HaveEveryFigureOfTheSeeds) {
  std::set<std::string> seen;
  for (const Experiment& experiment : experiments()) {
    SCOPED_TRACE(experiment.name);
    Findings findings =
        experiment.run({.seeds = experiment.seeds_at(Scale::smoke), .scale = Scale::smoke});
    check(findings);
    for (const Figure& figure : findings.figures) seen.insert(figure.of);
  }
  for (const char* of :
       {"seed 000, figure 5", "seed 001, section 15.2", "seed 001, section 15.3",
        "seed 002, figure 3a", "seed 002, figure 3b", "seed 002, figure 4a", "seed 002, figure 4b",
        "seed 002, figure 4c", "seed 002, figure 5", "seed 003, figure 7", "seed 003, equation 4",
        "seed 003, figure 8(a)", "seed 003, figure 8(b)", "seed 003, figure 8(c)",
        "seed 003, table 2", "seed 004, table 1", "seed 004, figure 9", "seed 004, figure 10",
        "seed 004, figure 11"})
    EXPECT_TRUE(seen.contains(of)) << of;
}

}  // namespace conch::lab::figure_test
