// A table of outcomes by input: of the model, which computes them, or of a thread, which asks the
// model.
#pragma once

#include "check/storage.hpp"

namespace conch::check {

template <class Outcome>
class KnownOutcomes {
 public:
  explicit KnownOutcomes(MemoryBudget& memory) : entries_(memory, {}, 1024) {}

  /// Calls `ask` only if the outcome is not known.
  template <class Ask>
  const Outcome& get(std::uint64_t key, Ask&& ask) {
    auto is_it = [&](const Entry& entry) { return entry.key == key; };
    std::uint64_t hash = Entry{key, nullptr}.hash();
    if (const Entry& known = entries_.find(hash, is_it); !known.unused()) return *known.outcome;
    const Outcome& outcome = ask();
    entries_.insert(hash, is_it, [&] { return Entry{key, &outcome}; });
    return outcome;
  }

 private:
  struct Entry {
    std::uint64_t key;
    const Outcome* outcome;
    bool unused() const { return outcome == nullptr; }
    std::uint64_t hash() const { return (key ^ key >> 29) * 0x9fb21c651e98df25; }
  };
  HashTable<Entry, OwnHash> entries_;
};

}  // namespace conch::check
