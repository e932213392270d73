// What is known to come of an input, of a model that computed it or of a thread that has asked it.
#pragma once

#include "check/storage.hpp"

namespace conch::check {

template <class Outcome>
class KnownOutcomes {
 public:
  explicit KnownOutcomes(Memory& memory) : entries_(memory, 1024) {}

  /// Asks only if it is not known.
  template <class Ask>
  const Outcome& get(std::uint64_t key, Ask&& ask) {
    auto is_it = [&](const Entry& entry) { return entry.key == key; };
    const Entry& known = entries_.find(Entry{key, nullptr}.hash(), is_it);
    if (!known.unused()) return *known.outcome;
    const Outcome& outcome = ask();
    entries_.insert({key, &outcome}, is_it);
    return outcome;
  }

 private:
  struct Entry {
    std::uint64_t key;
    const Outcome* outcome;
    bool unused() const { return outcome == nullptr; }
    std::uint64_t hash() const {
      std::uint64_t hash = key * 0x9fb21c651e98df25;
      return hash ^ (hash >> 32);
    }
  };
  HashTable<Entry> entries_;
};

}  // namespace conch::check
