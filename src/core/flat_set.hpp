// A small ordered set in one sorted vector: cheap to copy, compare and hash, and its order never
// depends on the machine.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace conch {

template <class T>
class FlatSet {
 public:
  using value_type = T;

  FlatSet() = default;
  FlatSet(std::initializer_list<T> values) : FlatSet(values.begin(), values.end()) {}
  template <class Iterator>
  FlatSet(Iterator first, Iterator last) : values_(first, last) {
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  }

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const T& front() const { return values_.front(); }

  bool contains(const T& value) const { return std::binary_search(begin(), end(), value); }
  bool insert(const T& value) {
    auto place = std::lower_bound(values_.begin(), values_.end(), value);
    if (place != values_.end() && *place == value) return false;
    values_.insert(place, value);
    return true;
  }
  bool erase(const T& value) {
    auto place = std::lower_bound(values_.begin(), values_.end(), value);
    if (place == values_.end() || *place != value) return false;
    values_.erase(place);
    return true;
  }
  void clear() { values_.clear(); }

  friend bool operator==(const FlatSet&, const FlatSet&) = default;

 private:
  std::vector<T> values_;
};

}  // namespace conch
