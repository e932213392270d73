#include "core/fields.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace conch::fields_test {

struct Ring {
  int stone = 0;
  int band = 0;
  CONCH_FIELDS(Ring, stone, band)
};

struct Empty {
  CONCH_FIELDS(Empty)
};

struct Wide {
  int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10;
  int k = 11, l = 12, m = 13, n = 14, o = 15, p = 16, q = 17, r = 18, s = 19, t = 20;
  CONCH_FIELDS(Wide, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
};

template <class T>
std::vector<std::string> names(const T& value) {
  std::vector<std::string> found;
  visit_fields(value, [&](std::string_view name, const int&) { found.emplace_back(name); });
  return found;
}

TEST(Fields, AreVisitedByNameInTheOrderOfTheirList) {
  EXPECT_EQ(names(Ring{}), (std::vector<std::string>{"stone", "band"}));
  EXPECT_TRUE(names(Empty{}).empty());
}

TEST(Fields, CanBeTwenty) {
  const Wide wide;
  int sum = 0;
  visit_fields(wide, [&](std::string_view, const int& field) { sum += field; });
  EXPECT_EQ(sum, 210);
}

TEST(Fields, CanBeWritten) {
  Ring ring;
  visit_fields(ring, [](std::string_view name, int& field) { field = name == "band" ? 2 : 1; });
  EXPECT_EQ(ring, (Ring{1, 2}));
}

TEST(Fields, KnowTheNameOfTheirStruct) { EXPECT_EQ(Ring::type_name, "Ring"); }

TEST(Fields, MakeStructsComparable) {
  EXPECT_EQ((Ring{1, 2}), (Ring{1, 2}));
  EXPECT_NE((Ring{1, 2}), (Ring{1, 3}));
  EXPECT_EQ(Empty{}, Empty{});
}

TEST(Fields, AreWhatAStructIsRecognisedBy) {
  static_assert(HasFields<Ring> && HasFields<const Ring> && HasFields<Empty>);
  static_assert(!HasFields<int> && !HasFields<std::string>);
}

}  // namespace conch::fields_test
