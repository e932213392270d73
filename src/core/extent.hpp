// A value for every byte of the data a lock protects. Usually it is the same everywhere, and then
// an extent is as cheap as its value.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace conch {

/// A map from the positions of `Range{}` to values, in as few segments as possible: two extents
/// that map alike are equal.
template <class Value>
class Extent {
 public:
  /// A range in which the value is the same.
  struct Segment {
    Range range;
    Value value;
    CONCH_FIELDS(Segment, range, value)
  };

  Extent() = default;
  explicit Extent(Value everywhere) : first_(std::move(everywhere)) {}

  bool uniform() const { return rest_.empty(); }
  std::size_t segments() const { return 1 + rest_.size(); }
  const Value& at(std::uint64_t position) const {
    auto later = after(position);
    return later == rest_.begin() ? first_ : std::prev(later)->value;
  }

  /// Calls `see(range, value)` for every segment that reaches into a range, clipped to it, in
  /// order.
  template <class See>
  void visit(const Range& range, See&& see) const {
    any_part(range, [&](const Range& part, const Value& value) { return see(part, value), false; });
  }
  std::vector<Segment> parts(const Range& range = {}) const {
    std::vector<Segment> found;
    visit(range, [&](const Range& part, const Value& value) { found.push_back({part, value}); });
    return found;
  }
  /// Whether the predicate holds for a value somewhere in the range.
  template <class Predicate>
  bool any(const Range& range, Predicate&& holds) const {
    return any_part(range, [&](const Range&, const Value& value) { return holds(value); });
  }

  /// Replaces every value of the range, and none outside, by what `change` makes of it.
  template <class Change>
  void update(const Range& range, Change&& change) {
    if (uniform() && range == Range{}) return void(first_ = change(std::as_const(first_)));
    expect_some(range);
    split(range.begin);
    split(range.end);
    if (range.begin == 0) first_ = change(std::as_const(first_));
    for (Step& step : rest_)
      if (range.begin <= step.begin && step.begin < range.end)
        step.value = change(std::as_const(step.value));
    coalesce();
  }
  void set(const Range& range, const Value& value) {
    update(range, [&](const Value&) { return value; });
  }

  /// Replaces the value at every position by what `combine` makes of it and the other extent's.
  template <class Other, class Combine>
  void merge(const Extent<Other>& other, Combine&& combine) {
    other.visit(Range{}, [&](const Range& range, const Other&) { split(range.begin); });
    first_ = combine(std::as_const(first_), other.at(0));
    for (Step& step : rest_) step.value = combine(std::as_const(step.value), other.at(step.begin));
    coalesce();
  }

  /// Decoded bytes may not be an extent: their steps may be out of order, or more than needed.
  bool valid() const {
    const Value* before = &first_;
    std::uint64_t begin = 0;
    for (const Step& step : rest_) {
      if (step.begin <= begin || step.begin >= Range{}.end || step.value == *before) return false;
      begin = step.begin;
      before = &step.value;
    }
    return true;
  }

 private:
  /// The value from `begin` up to the next step.
  struct Step {
    std::uint64_t begin = 0;
    Value value;
    CONCH_FIELDS(Step, begin, value)
  };
  using Steps = std::vector<Step>;

  static void expect_some(const Range& range) {
    CONCH_EXPECT(range.valid(), "a range has at least one byte");
  }
  /// The first step that begins after a position.
  typename Steps::const_iterator after(std::uint64_t position) const {
    return std::upper_bound(
        rest_.begin(), rest_.end(), position,
        [](std::uint64_t sought, const Step& step) { return sought < step.begin; });
  }

  template <class Found>
  bool any_part(const Range& range, Found&& found) const {
    expect_some(range);
    if (uniform()) return found(range, first_);
    auto next = after(range.begin);
    const Value* value = next == rest_.begin() ? &first_ : &std::prev(next)->value;
    std::uint64_t begin = range.begin;
    for (; next != rest_.end() && next->begin < range.end; ++next) {
      if (found(Range{begin, next->begin}, *value)) return true;
      begin = next->begin;
      value = &next->value;
    }
    return found(Range{begin, range.end}, *value);
  }

  /// Makes a step begin at a position. Until `coalesce` it may repeat the value before it.
  void split(std::uint64_t position) {
    if (position == 0 || position == Range{}.end) return;
    auto later = after(position);
    bool there = later != rest_.begin() && std::prev(later)->begin == position;
    if (!there) rest_.insert(later, Step{position, at(position)});
  }
  void coalesce() {
    auto kept = rest_.begin();
    for (auto step = rest_.begin(); step != rest_.end(); ++step) {
      const Value& before = kept == rest_.begin() ? first_ : std::prev(kept)->value;
      if (step->value == before) continue;
      if (kept != step) *kept = std::move(*step);
      ++kept;
    }
    rest_.erase(kept, rest_.end());
  }

  Value first_{};
  Steps rest_;

 public:
  CONCH_FIELDS(Extent, first_, rest_)
};

namespace detail {
template <class T>
inline constexpr bool is_extent = false;
template <class Value>
inline constexpr bool is_extent<Extent<Value>> = true;
}  // namespace detail

/// What the last writers left in a range, in the form that a holder gets.
inline std::vector<Part> parts_of(const Extent<Baton>& batons, const Range& range) {
  std::vector<Part> parts;
  batons.visit(range, [&](const Range& part, const Baton& baton) {
    parts.push_back({part, baton});
  });
  return parts;
}

}  // namespace conch
