// Future events, ordered by time and then by when they were scheduled. One of these advances the
// clock of every world in this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace conch::sim {

template <class Event>
struct Scheduled {
  Time at;
  /// The event's number in its queue, counted from 1.
  std::uint64_t order;
  Event event;
  bool operator<(const Scheduled& other) const {
    return at != other.at ? at < other.at : order < other.order;
  }
};

/// A heap in which every node has four children: half as deep as a binary one, and the four lie
/// side by side.
template <class Event>
class EventQueue {
 public:
  using Entry = Scheduled<Event>;

  bool empty() const { return heap_.empty(); }
  const Entry& next() const { return heap_.front(); }
  /// How many events were ever scheduled.
  std::uint64_t scheduled() const { return scheduled_; }
  /// Returns the event's `order`.
  std::uint64_t push(Time at, Event event) {
    insert({at, ++scheduled_, std::move(event)});
    return scheduled_;
  }
  /// Undoes a `pop`; the entry keeps its order, also if it is due later now.
  void put_back(Entry entry) { insert(std::move(entry)); }
  Entry pop() {
    Entry first = std::move(heap_.front());
    Entry last = std::move(heap_.back());
    heap_.pop_back();
    if (!heap_.empty()) sink(std::move(last));
    return first;
  }

 private:
  static constexpr std::size_t children = 4;

  void insert(Entry entry) {
    std::size_t place = heap_.size();
    heap_.emplace_back();
    while (place > 0 && entry < heap_[(place - 1) / children]) {
      heap_[place] = std::move(heap_[(place - 1) / children]);
      place = (place - 1) / children;
    }
    heap_[place] = std::move(entry);
  }
  void sink(Entry entry) {
    std::size_t place = 0;
    for (std::size_t child; (child = first_below(place)) < heap_.size(); place = child) {
      if (entry < heap_[child]) break;
      heap_[place] = std::move(heap_[child]);
    }
    heap_[place] = std::move(entry);
  }
  /// The child that is due first.
  std::size_t first_below(std::size_t place) const {
    std::size_t begin = children * place + 1;
    std::size_t end = std::min(begin + children, heap_.size());
    std::size_t first = begin;
    for (std::size_t child = begin + 1; child < end; ++child)
      if (heap_[child] < heap_[first]) first = child;
    return first;
  }

  std::vector<Entry> heap_;
  std::uint64_t scheduled_ = 0;
};

}  // namespace conch::sim
