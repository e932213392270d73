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

bool cites_a_paper(std::string_view of) {
  if (of.starts_with("past ")) of.remove_prefix(5);
  for (std::string_view paper : {"lecture notes", "Bertier 2004", "Hernane 2015", "Muhammad 2005"})
    if (of.starts_with(paper)) return true;
  return false;
}

void check(const Figure& figure) {
  SCOPED_TRACE(figure.title);
  EXPECT_FALSE(figure.title.empty());
  EXPECT_TRUE(cites_a_paper(figure.of)) << figure.of;
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

void check(const ExperimentResult& findings) {
  EXPECT_FALSE(findings.figures.empty());
  std::set<std::string> titles;
  for (const Figure& figure : findings.figures) {
    check(figure);
    titles.insert(figure.of + figure.title);
  }
  std::vector<std::string> names = findings.table.names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const auto& row : findings.table.rows()) EXPECT_EQ(row.size(), names.size());
  EXPECT_EQ(titles.size(), findings.figures.size());
  for (const PaperClaim& claim : findings.claims) {
    EXPECT_FALSE(claim.of.empty());
    EXPECT_FALSE(claim.says.empty());
    EXPECT_FALSE(claim.ours.empty());
  }
}

TEST(Experiments, HaveErrorBarsAtTheQuickScale) {
  for (std::string_view name : {"textbook", "hierarchical"}) {
    const Experiment& experiment = find_experiment(name);
    ExperimentResult findings = experiment.run(experiment.setup_at(Scale::quick));
    check(findings);
    bool varies = false;
    for (const Series& series : findings.figures[0].series)
      for (const Datum& datum : series.points) varies |= datum.error > 0;
    EXPECT_TRUE(varies) << name;
  }
}

/// Runs all experiments, and expects every figure and table of measurements that the papers have.
TEST(Experiments, HaveEveryFigureOfThePapers) {
  std::set<std::string> seen;
  for (const Experiment& experiment : experiments()) {
    SCOPED_TRACE(experiment.name);
    ExperimentResult findings = experiment.run(experiment.setup_at(Scale::smoke));
    check(findings);
    for (const Figure& figure : findings.figures) seen.insert(figure.of);
  }
  for (const char* of :
       {"Muhammad 2005 (short), figure 5", "lecture notes, section 15.2",
        "lecture notes, section 15.3", "Muhammad 2005, figure 3a", "Muhammad 2005, figure 3b",
        "Muhammad 2005, figure 4a", "Muhammad 2005, figure 4b", "Muhammad 2005, figure 4c",
        "Muhammad 2005, figure 5", "Hernane 2015, figure 7", "Hernane 2015, equation 4",
        "Hernane 2015, figure 8(a)", "Hernane 2015, figure 8(b)", "Hernane 2015, figure 8(c)",
        "Hernane 2015, table 2", "Bertier 2004, table 1", "Bertier 2004, figure 9",
        "Bertier 2004, figure 10", "Bertier 2004, figure 11"})
    EXPECT_TRUE(seen.contains(of)) << of;
}

}  // namespace conch::lab::figure_test
