#include "lab/cities.hpp"

#include <gtest/gtest.h>

#include <set>

namespace conch::lab::cities_test {

using namespace std::chrono_literals;

const City& find(std::string_view name) {
  for (const City& city : cities())
    if (city.name == name) return city;
  throw std::out_of_range(std::string(name));
}

TEST(Cities, AreAtLeastFiftyAndDiffer) {
  std::set<std::string_view> names;
  for (const City& city : cities()) names.insert(city.name);
  EXPECT_EQ(names.size(), cities().size());
  EXPECT_GE(names.size(), 50u);
}

// Well-known distances in km; the table is accurate to about 8 km at either end.
TEST(Cities, AreWhereTheyAre) {
  EXPECT_NEAR(great_circle_km(find("London"), find("New York")), 5570, 20);
  EXPECT_NEAR(great_circle_km(find("Paris"), find("London")), 344, 16);
  EXPECT_NEAR(great_circle_km(find("Tokyo"), find("San Francisco")), 8270, 25);
  EXPECT_NEAR(great_circle_km(find("Sydney"), find("Singapore")), 6300, 25);
  EXPECT_NEAR(great_circle_km(find("Sydney"), find("Auckland")), 2156, 20);
  EXPECT_NEAR(great_circle_km(find("Sao Paulo"), find("Lagos")), 6350, 60);
  EXPECT_EQ(great_circle_km(find("Cairo"), find("Cairo")), 0);
}

// Frankfurt and New York are 6200 km apart: 31 ms one way for light in glass.
TEST(Cities, AMessageTakesTheGreatCircleStretched) {
  const City &frankfurt = find("Frankfurt"), &new_york = find("New York");
  EXPECT_NEAR(static_cast<double>(one_way(frankfurt, new_york, 1).count()), 31.05e6, 0.15e6);
  EXPECT_EQ(one_way(frankfurt, new_york, 1), one_way(new_york, frankfurt, 1));
  EXPECT_NEAR(static_cast<double>(one_way(frankfurt, new_york, 2.1).count()), 65.2e6, 0.3e6);
}

TEST(Cities, LatenciesJitterAndAreShortWithinACity) {
  auto table = latencies(5, 2.1);
  ASSERT_EQ(table.size(), 5u);
  EXPECT_EQ(table[3][3].bound(), 300us);
  Duration least = one_way(cities()[0], cities()[1], 2.1);
  Random random(1);
  for (int i = 0; i < 100; ++i) EXPECT_GE(table[0][1].draw(random), least);
  EXPECT_NEAR(seconds_of(*table[0][1].bound()), 1.1 * seconds_of(least), 1e-6);
}

}  // namespace conch::lab::cities_test
