// Folds a whole state into a single word, without loss. Half of the nodes, with the messages to
// them, are one part of a state; everything else is the other. Each part has a number, and the two
// numbers are the folded state. There are far fewer parts than states, and most steps change only
// one part.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "check/part_table.hpp"

namespace conch::check {

/// Which words of a state belong to its first part: the first `words` words, and the messages whose
/// addressee, in their upper four bits, is less than `addressees`.
struct Cut {
  std::size_t words = 0;
  std::uint32_t addressees = 0;
  /// How many words come before the messages.
  std::size_t fixed_words = 0;
};

/// Belongs to one thread.
class StateFolder {
 public:
  using Words = PartTable::Words;

  StateFolder(PartTable& parts, const Cut& cut) : parts_(parts), cut_(cut) {}

  /// The words stay valid until the next call. States that differ little from the last unfolded one
  /// are folded quickly.
  Words unfold(std::uint64_t state) {
    unfolded_ = {static_cast<std::uint32_t>(state >> 32), static_cast<std::uint32_t>(state)};
    Words first = parts_[unfolded_[0]];
    Words second = parts_[unfolded_[1]];
    auto end = words_.begin();
    auto append = [&](Words words) { end = std::copy(words.begin(), words.end(), end); };
    append(first.first(cut_.words));
    append(second.first(cut_.fixed_words - cut_.words));
    append(first.subspan(cut_.words));
    append(second.subspan(cut_.fixed_words - cut_.words));
    return {words_.begin(), end};
  }

  /// Fetches the parts of a state that will soon be unfolded.
  void prefetch(std::uint64_t state) const {
    parts_.prefetch_words(static_cast<std::uint32_t>(state >> 32));
    parts_.prefetch_words(static_cast<std::uint32_t>(state));
  }

  /// The first half of folding a state. Between the two halves the processor has time to fetch the
  /// memory that the state is compared with.
  struct Folding {
    /// The parts' numbers, or 0 where they are not known yet, and the hashes of those that are not.
    std::array<std::uint32_t, 2> numbers = {};
    std::array<std::uint64_t, 2> hashes = {};
  };
  Folding begin(Words words) {
    Folding folding;
    std::array<StatePart, 2> parts = split(words);
    for (std::size_t i = 0; i < 2; ++i) {
      if (unfolded_[i] != 0 && parts[i].is(parts_[unfolded_[i]])) {
        folding.numbers[i] = unfolded_[i];
        continue;
      }
      folding.hashes[i] = parts[i].hash();
      const Known& known = known_of(folding.hashes[i]);
      bool is_it =
          known.hash == folding.hashes[i] && known.number != 0 && parts[i].is(parts_[known.number]);
      is_it ? void(folding.numbers[i] = known.number) : parts_.prefetch(folding.hashes[i]);
    }
    return folding;
  }
  /// Returns the folded state, which is never 0.
  std::uint64_t end(Words words, Folding folding) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (folding.numbers[i] != 0) continue;
      folding.numbers[i] = parts_.number(split(words)[i], folding.hashes[i], cursor_);
      known_of(folding.hashes[i]) = {folding.hashes[i], folding.numbers[i]};
    }
    return std::uint64_t{folding.numbers[0]} << 32 | folding.numbers[1];
  }
  std::uint64_t fold(Words words) { return end(words, begin(words)); }

 private:
  static constexpr std::size_t words_max = 128;
  /// A part whose number this thread has asked for lately.
  struct Known {
    std::uint64_t hash = 0;
    std::uint32_t number = 0;
  };
  static constexpr int known_bits = 12;

  std::array<StatePart, 2> split(Words words) const {
    std::size_t messages = cut_.fixed_words;
    while (messages < words.size() && words[messages] >> 28 < cut_.addressees) ++messages;
    return {StatePart{words.first(cut_.words),
                      words.subspan(cut_.fixed_words, messages - cut_.fixed_words)},
            StatePart{words.subspan(cut_.words, cut_.fixed_words - cut_.words),
                      words.subspan(messages)}};
  }
  Known& known_of(std::uint64_t hash) { return known_[hash >> (64 - known_bits)]; }

  PartTable& parts_;
  Cut cut_;
  PartTable::Cursor cursor_;
  std::array<std::uint32_t, 2> unfolded_ = {};
  std::array<std::uint32_t, words_max> words_;
  std::vector<Known> known_ = std::vector<Known>(std::size_t{1} << known_bits);
};

}  // namespace conch::check
