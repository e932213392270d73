#include "lab/planet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace conch::lab::planet_test {

const Setup small = find_experiment("planet").setup_at(Scale::smoke);

std::string all(const std::vector<std::string>& remarks) {
  std::string text;
  for (const std::string& remark : remarks) text += remark + "\n";
  return text;
}

std::size_t column(const Table& table, std::string_view name) {
  const auto& names = table.columns();
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

TEST(Planet, RecommendsOneForEachLoadWhoseLongestWaitIsAllowed) {
  ExperimentResult findings = planet(small);
  std::map<std::string, int> recommended;
  for (const auto& row : findings.table.rows()) {
    if (row[column(findings.table, "best")] != "*") continue;
    ++recommended[row[column(findings.table, "load")]];
    EXPECT_NE(row[column(findings.table, "algorithm")], "central");
    EXPECT_LE(std::stod(row[column(findings.table, "longest / NT")]), 2);
    EXPECT_LE(std::stod(row[column(findings.table, "mean / NT")]), 1);
  }
  EXPECT_EQ(recommended, (std::map<std::string, int>{
                             {"heavy", 1}, {"light", 1}, {"medium", 1}, {"saturated", 1}}));
  ASSERT_EQ(findings.claims.size(), 1u);
  EXPECT_NE(findings.claims[0].says.find("n + eps + 1"), std::string::npos);
}

TEST(Planet, TheLongerTheCablesTheLongerTheWaits) {
  Contestant flat{"naimi-trehel"};
  double near_s = measure(on_planet(flat, 5, light, 1), {1, 1}).mean_s.mean();
  double far_s = measure(on_planet(flat, 5, light, 2), {1, 1}).mean_s.mean();
  EXPECT_GT(far_s, 1.8 * near_s);
}

TEST(AutoClusters, FindTheCities) {
  ExperimentResult findings = auto_clusters(small);
  std::string remarks = all(findings.remarks);
  EXPECT_NE(remarks.find("5 clusters of 1 level"), std::string::npos) << remarks;
  EXPECT_NE(remarks.find("the same peers are together"), std::string::npos) << remarks;
  EXPECT_NE(remarks.find("change 0 times"), std::string::npos) << remarks;
  EXPECT_NE(remarks.find("96 messages a peer and minute"), std::string::npos) << remarks;
}

}  // namespace conch::lab::planet_test
