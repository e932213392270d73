#include "core/extent.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/encode.hpp"
#include "core/hash.hpp"
#include "core/measure.hpp"
#include "core/print.hpp"
#include "core/testing/dice.hpp"

namespace conch::extent_test {

using Numbers = Extent<std::uint64_t>;
using Segment = Numbers::Segment;

constexpr std::uint64_t end = Range{}.end;

Numbers steps(std::initializer_list<std::pair<Range, std::uint64_t>> parts) {
  Numbers numbers;
  for (const auto& [range, value] : parts) numbers.set(range, value);
  return numbers;
}

std::string encoded(const auto& value) {
  std::string bytes;
  encode(bytes, value);
  return bytes;
}

template <class T>
std::string refusal(const std::string& bytes) {
  T value;
  Decoder decoder(bytes);
  decoder.decode(value) && decoder.finish();
  return decoder.error();
}

TEST(Extent, IsTheSameEverywhereAtFirst) {
  EXPECT_TRUE(Numbers{}.uniform());
  EXPECT_EQ(Numbers(7).parts(), (std::vector<Segment>{{Range{}, 7}}));
  EXPECT_EQ(Numbers(7).at(0), 7u);
  EXPECT_EQ(Numbers(7).at(end - 1), 7u);
}

TEST(Extent, ChangesExactlyARange) {
  Numbers numbers(1);
  numbers.update({10, 20}, [](std::uint64_t value) { return value + 1; });
  numbers.update({15, 30}, [](std::uint64_t value) { return value + 5; });
  EXPECT_EQ(numbers.parts(),
            (std::vector<Segment>{
                {{0, 10}, 1}, {{10, 15}, 2}, {{15, 20}, 7}, {{20, 30}, 6}, {{30, end}, 1}}));
}

TEST(Extent, ChangesUpToItsEnds) {
  Numbers numbers;
  numbers.set({0, 1}, 1);
  numbers.set({end - 1, end}, 2);
  EXPECT_EQ(numbers.parts(),
            (std::vector<Segment>{{{0, 1}, 1}, {{1, end - 1}, 0}, {{end - 1, end}, 2}}));
  numbers.set({}, 3);
  EXPECT_EQ(numbers, Numbers(3));
}

TEST(Extent, ClipsItsPartsToARange) {
  Numbers numbers = steps({{{10, 20}, 1}, {{20, 30}, 2}});
  EXPECT_EQ(numbers.parts({12, 25}), (std::vector<Segment>{{{12, 20}, 1}, {{20, 25}, 2}}));
  EXPECT_EQ(numbers.parts({10, 20}), (std::vector<Segment>{{{10, 20}, 1}}));
  EXPECT_EQ(numbers.parts({40, end}), (std::vector<Segment>{{{40, end}, 0}}));
}

TEST(Extent, ForgetsBordersBetweenEqualValues) {
  EXPECT_EQ(steps({{{0, 10}, 1}, {{10, 20}, 1}}), steps({{{0, 20}, 1}}));
  EXPECT_EQ(steps({{{5, 10}, 1}, {{5, 10}, 0}}), Numbers{});
  EXPECT_EQ(steps({{{5, 10}, 1}, {{20, 30}, 1}, {{10, 20}, 1}}).segments(), 3u);
}

TEST(Extent, FindsAValueInARange) {
  Numbers numbers = steps({{{10, 20}, 1}});
  auto is_one = [](std::uint64_t value) { return value == 1; };
  EXPECT_TRUE(numbers.any({}, is_one));
  EXPECT_TRUE(numbers.any({19, 40}, is_one));
  EXPECT_FALSE(numbers.any({20, 40}, is_one));
  EXPECT_FALSE(numbers.any({0, 10}, is_one));
}

TEST(Extent, CombinesWithAnotherPointByPoint) {
  Numbers numbers = steps({{{10, 30}, 1}});
  Extent<bool> twice;
  twice.set({20, 40}, true);
  numbers.merge(twice, [](std::uint64_t value, bool yes) { return yes ? 2 * value : value; });
  EXPECT_EQ(numbers, steps({{{10, 20}, 1}, {{20, 30}, 2}}));
}

TEST(Extent, IsPrintedAsItsValueOrByRanges) {
  EXPECT_EQ(print(Numbers(7)), "7");
  EXPECT_EQ(print(steps({{{10, 20}, 1}})), "{0..10 0, 10..20 1, 20.. 0}");
}

TEST(Extent, IsHashedByWhatItMaps) {
  EXPECT_EQ(hash64(steps({{{0, 5}, 1}, {{5, 9}, 1}})), hash64(steps({{{0, 9}, 1}})));
  EXPECT_NE(hash64(steps({{{0, 9}, 1}})), hash64(steps({{{0, 8}, 1}})));
}

TEST(Extent, RemembersWhatItsValuesRemember) {
  Extent<std::optional<NodeId>> owners;
  EXPECT_EQ(remembered(owners), 0u);
  owners.set({3, 5}, NodeId{1});
  EXPECT_EQ(remembered(owners), 1u);

  Extent<Baton> cargo;
  cargo.set({3, 5}, Baton{Fence(Epoch{}, 1), {}});
  EXPECT_EQ(remembered(cargo), 0u);
}

TEST(Extent, NamesThePartsOfTheData) {
  Baton old{Fence(Epoch{}, 1), {}}, young{Fence(Epoch{}, 2), {}};
  Extent<Baton> batons(old);
  batons.set({10, 20}, young);
  EXPECT_EQ(parts_of(batons, {15, 25}), (std::vector<Part>{{{15, 20}, young}, {{20, 25}, old}}));
}

TEST(Extent, ArrivesAsItWasSent) {
  Numbers sent = steps({{{10, 20}, 1}, {{end - 1, end}, 2}});
  std::string bytes = encoded(sent);
  EXPECT_EQ(bytes.size(), encoded_size(sent));
  Numbers received;
  Decoder decoder(bytes);
  EXPECT_TRUE(decoder.decode(received) && decoder.finish()) << decoder.error();
  EXPECT_EQ(received, sent);
}

/// Encodes like an extent, but with any content.
struct Forged {
  std::uint64_t first = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> rest;
  CONCH_FIELDS(Forged, first, rest)
};

TEST(Extent, RefusesWhatIsNone) {
  EXPECT_EQ(refusal<Numbers>(encoded(Forged{0, {{10, 1}, {20, 0}}})), "");
  const char* refused = "a malformed Extent ends at byte ";
  for (const Forged& forged :
       {Forged{0, {{0, 1}}}, Forged{0, {{20, 1}, {10, 0}}}, Forged{0, {{10, 1}, {10, 2}}},
        Forged{0, {{10, 0}}}, Forged{0, {{10, 1}, {20, 1}}}, Forged{0, {{end, 1}}}})
    EXPECT_TRUE(refusal<Numbers>(encoded(forged)).starts_with(refused)) << print(forged);
}

TEST(Range, IsRefusedWhenNothingIsInIt) {
  EXPECT_EQ(refusal<Range>(encoded(Range{3, 4})), "");
  EXPECT_EQ(refusal<Range>(encoded(Range{4, 4})), "a malformed Range ends at byte 3");
  EXPECT_EQ(refusal<Wish>(encoded(Wish{Mode::read, {4, 3}})), "a malformed Range ends at byte 5");
}

/// A model of an extent with one value per position. Its last cell stands for all the rest.
class Cells {
 public:
  static constexpr std::uint64_t count = 24;

  static std::uint64_t cell_end(std::uint64_t cell) { return cell == count ? end : cell; }

  std::array<std::uint64_t, count> values{};

  Numbers extent() const {
    Numbers numbers;
    for (std::uint64_t cell = 0; cell < count; ++cell)
      numbers.set({cell, cell_end(cell + 1)}, values[cell]);
    return numbers;
  }
  std::vector<Segment> parts(std::uint64_t first, std::uint64_t last) const {
    std::vector<Segment> found;
    for (std::uint64_t cell = first; cell < last; ++cell) {
      if (found.empty() || found.back().value != values[cell])
        found.push_back({{cell, cell}, values[cell]});
      found.back().range.end = cell_end(cell + 1);
    }
    return found;
  }
};

TEST(Extent, DoesWhatAByteArrayDoes) {
  Dice dice(1);
  Numbers numbers, others;
  Cells cells, other_cells;
  for (int i = 0; i < 20'000; ++i) {
    std::uint64_t first = dice.below(Cells::count);
    std::uint64_t last = first + 1 + dice.below(Cells::count - first);
    Range range{first, Cells::cell_end(last)};
    std::uint64_t amount = dice.below(3);
    auto change = [&](std::uint64_t value) { return (value + amount) % 4; };

    numbers.update(range, change);
    for (std::uint64_t cell = first; cell < last; ++cell)
      cells.values[cell] = change(cells.values[cell]);
    std::swap(numbers, others);
    std::swap(cells, other_cells);
    if (dice.percent(10)) {
      auto combine = [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); };
      numbers.merge(others, combine);
      for (std::uint64_t cell = 0; cell < Cells::count; ++cell)
        cells.values[cell] = combine(cells.values[cell], other_cells.values[cell]);
    }

    ASSERT_TRUE(numbers.valid());
    ASSERT_EQ(numbers, cells.extent());
    ASSERT_EQ(numbers.parts(range), cells.parts(first, last));
    for (std::uint64_t cell = 0; cell < Cells::count; ++cell)
      ASSERT_EQ(numbers.at(cell), cells.values[cell]);
    auto sought = [&](std::uint64_t value) { return value == amount; };
    ASSERT_EQ(numbers.any(range, sought),
              std::any_of(cells.values.begin() + static_cast<std::ptrdiff_t>(first),
                          cells.values.begin() + static_cast<std::ptrdiff_t>(last), sought));
  }
}

}  // namespace conch::extent_test
