#include <gtest/gtest.h>

#include <conch/span.hpp>
#include <conch/stop.hpp>
#include <span>
#include <vector>

namespace conch::peer::stop_test {

TEST(Stop, ATokenWithoutASourceIsNeverAsked) {
  EXPECT_FALSE(StopToken().stop_requested());
  EXPECT_FALSE(std::stop_token(StopToken()).stop_possible());
}

TEST(Stop, ASourceAsksAllWhoHaveItsToken) {
  StopSource source;
  StopToken token = source.get_token();
  StopToken copy = token;
  int calls = 0;
  std::stop_callback on_stop(std::stop_token(copy), [&] { ++calls; });
  EXPECT_FALSE(token.stop_requested());
  source.request_stop();
  source.request_stop();
  EXPECT_TRUE(token.stop_requested());
  EXPECT_TRUE(copy.stop_requested());
  EXPECT_EQ(calls, 1);
}

TEST(Stop, ATokenOfTheStandardLibraryIsOneOfOurs) {
  std::stop_source source;
  StopToken token = source.get_token();
  EXPECT_FALSE(token.stop_requested());
  source.request_stop();
  EXPECT_TRUE(token.stop_requested());
}

TEST(Span, ShowsWhatItWasMadeOf) {
  EXPECT_TRUE(Span<int>().empty());
  std::vector<int> numbers{1, 2, 3};
  Span<int> span(numbers.data(), numbers.size());
  span[1] = 5;
  EXPECT_EQ(std::vector(span.begin(), span.end()), (std::vector{1, 5, 3}));
}

TEST(Span, BecomesOneOfTheStandardLibraryAndBack) {
  std::vector<int> numbers{1, 2, 3};
  auto first_two = [&] { return Span<int>(numbers.data(), 2); };
  std::span<int> standard = first_two();
  std::span<const int> reading = first_two();
  Span<int> again = standard.subspan(1);
  EXPECT_EQ(reading.data(), numbers.data());
  EXPECT_EQ(again.data(), &numbers[1]);
  EXPECT_EQ(again.size(), 1U);
}

}  // namespace conch::peer::stop_test
