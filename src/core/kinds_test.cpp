#include "core/kinds.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace conch::kinds_test {

enum class Small : std::uint8_t { zero };

template <class T>
void expect_back(const std::vector<T>& values) {
  for (T value : values) EXPECT_EQ(from_number<T>(to_number(value)), value);
}

template <class T>
std::vector<T> extremes() {
  return {std::numeric_limits<T>::min(), T(-1), T(0), T(1), std::numeric_limits<T>::max()};
}

TEST(Number, SignedOnesComeBack) {
  expect_back(extremes<std::int8_t>());
  expect_back(extremes<std::int16_t>());
  expect_back(extremes<std::int32_t>());
  expect_back(extremes<std::int64_t>());
  expect_back<Duration>({-duration_max, Duration(-1), Duration(0), duration_max});
}

TEST(Number, UnsignedOnesComeBack) {
  expect_back(extremes<std::uint8_t>());
  expect_back(extremes<std::uint64_t>());
  expect_back<bool>({false, true});
  expect_back<NodeId>({NodeId{0}, NodeId{~std::uint64_t{0}}});
  expect_back<Epoch>({Epoch{0}, Epoch{~std::uint32_t{0}}});
  expect_back<Fence>({Fence(Epoch{1}, 7), Fence(~std::uint64_t{0})});
  expect_back<Small>({Small::zero, Small{255}});
}

TEST(Number, IsRefusedIfItDoesNotFit) {
  EXPECT_EQ(from_number<bool>(2), std::nullopt);
  EXPECT_EQ(from_number<Small>(256), std::nullopt);
  EXPECT_EQ(from_number<Epoch>(std::uint64_t{1} << 32), std::nullopt);
  EXPECT_EQ(from_number<std::uint16_t>(65'536), std::nullopt);
  EXPECT_EQ(from_number<Duration>(to_number(duration_max) + 1), std::nullopt);
  EXPECT_EQ(from_number<Duration>(to_number(Duration::min())), std::nullopt);
  EXPECT_EQ(from_number<std::int8_t>(128), std::nullopt);
  EXPECT_EQ(from_number<std::int32_t>(0xffff'ffff), std::nullopt);
}

TEST(Kind, IsOneOfAll) {
  static_assert(Number<NodeId> && Number<bool> && Number<Duration> && Number<Small>);
  static_assert(Maybe<std::optional<int>> && Choice<std::variant<int>>);
  static_assert(Pair<std::pair<int, bool>> && Sequence<std::vector<int>>);
  static_assert(!Number<DataRef> && !Sequence<DataRef> && HasFields<DataRef>);
}

}  // namespace conch::kinds_test
