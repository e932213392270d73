#include "check/state_set.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "check/state_folder.hpp"

namespace conch::check::state_set_test {

constexpr std::size_t plenty = std::size_t{1} << 32;

// Two nodes, three fixed words, and messages sorted by their addressee.
constexpr Cut cut{1, 1, 3};
std::vector<std::uint32_t> words(std::uint32_t seed) {
  std::vector<std::uint32_t> words{seed % 7, seed % 11, seed % 3};
  if (seed % 2 == 0) words.push_back(seed % 5);
  if (seed % 3 == 0) words.push_back(1U << 28 | seed % 13);
  return words;
}

TEST(Folder, EqualStatesAreOneWordAndEveryStateComesBackWhole) {
  MemoryBudget memory(plenty);
  PartTable parts(memory);
  StateFolder folder(parts, cut);
  StateFolder other(parts, cut);
  std::map<std::uint64_t, std::vector<std::uint32_t>> known;
  for (std::uint32_t seed = 0; seed < 10'000; ++seed) {
    std::uint64_t state = folder.fold(words(seed));
    EXPECT_NE(state, 0U);
    EXPECT_EQ(other.fold(words(seed)), state);
    EXPECT_EQ(known.emplace(state, words(seed)).first->second, words(seed));
    StateFolder::Words back = other.unfold(state);
    EXPECT_TRUE(std::ranges::equal(back, words(seed)));
  }
  std::set<std::vector<std::uint32_t>> different;
  for (const auto& [state, its_words] : known) different.insert(its_words);
  EXPECT_EQ(different.size(), known.size());
}

TEST(StateSet, OneOfSeveralThreadsIsTheFirst) {
  MemoryBudget memory(plenty);
  StateSet set(memory);
  PartTable parts(memory);
  std::atomic<std::uint32_t> firsts = 0;
  auto insert = [&] {
    StateFolder folder(parts, cut);
    for (std::uint32_t seed = 0; seed < 50'000; ++seed) {
      std::uint64_t state = folder.fold(std::vector<std::uint32_t>{seed, seed / 3, 0});
      set.prefetch(state);
      firsts += set.insert(state) ? 1 : 0;
    }
  };
  {
    std::jthread one(insert), two(insert);
    insert();
  }
  EXPECT_EQ(firsts, 50'000U);
  std::set<std::uint64_t> drained;
  for (std::size_t i = 0; i < StateSet::shard_count; ++i)
    set.drain(i, [&](std::uint64_t state) { drained.insert(state); });
  EXPECT_EQ(drained.size(), 50'000U);
}

}  // namespace conch::check::state_set_test
