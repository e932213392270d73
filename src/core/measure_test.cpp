#include "core/measure.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "core/encode.hpp"
#include "core/flat_set.hpp"

namespace conch::measure_test {

struct Queue {
  NodeId self;
  std::optional<NodeId> next;
  std::vector<std::optional<NodeId>> waiting;
  std::map<NodeId, FlatSet<NodeId>> seen;
  CONCH_FIELDS(Queue, self, next, waiting, seen)
};

template <class T>
std::size_t written(const T& value) {
  std::string bytes;
  encode(bytes, value);
  return bytes.size();
}

TEST(EncodedSize, IsRightWhereNumbersGrow) {
  for (int bit = 0; bit < 64; ++bit) {
    std::uint64_t power = std::uint64_t{1} << bit;
    for (std::uint64_t number : {power - 1, power, power + 1})
      EXPECT_EQ(encoded_size(number), written(number)) << number;
  }
  EXPECT_EQ(encoded_size(-1), written(-1));
}

TEST(EncodedSize, IsRightWhereSequencesGrow) {
  for (std::size_t elements : {0, 1, 15, 16, 17, 65'535, 65'536, 70'000}) {
    std::vector<std::uint8_t> values(elements);
    EXPECT_EQ(encoded_size(values), written(values)) << elements;
  }
}

TEST(EncodedSize, IsRightWhereTextsGrow) {
  for (std::size_t length : {0, 1, 31, 32, 255, 256, 65'535, 65'536, 70'000}) {
    std::string text(length, 'x');
    EXPECT_EQ(encoded_size(text), written(text)) << length;
  }
}

TEST(EncodedSize, IsKnownToTheCompiler) {
  static_assert(encoded_size(NodeId{3}) == 1);
  static_assert(encoded_size(Fence(Epoch{1}, 7)) == 9);
}

TEST(Remembered, CountsTheElementsOfSequencesAndTheMaybesThatAre) {
  EXPECT_EQ(remembered(Queue{}), 0u);
  EXPECT_EQ(remembered(Queue{NodeId{5}, NodeId{6}, {}, {}}), 1u);
  EXPECT_EQ(remembered(Queue{NodeId{5}, {}, {std::nullopt, NodeId{1}}, {}}), 3u);
  EXPECT_EQ(remembered(Queue{NodeId{5}, {}, {}, {{NodeId{1}, {NodeId{2}, NodeId{3}}}}}), 3u);
  EXPECT_EQ(remembered(std::variant<int, Queue>{Queue{NodeId{5}, NodeId{6}, {}, {}}}), 1u);
}

}  // namespace conch::measure_test
