// An immutable vector that copies share: a copy costs as much as a pointer.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace conch {

template <class T>
class SharedVector {
 public:
  SharedVector() = default;
  explicit SharedVector(std::vector<T> elements)
      : elements_(std::make_shared<const std::vector<T>>(std::move(elements))) {}

  const std::vector<T>& get() const {
    static const std::vector<T> none;
    return elements_ ? *elements_ : none;
  }
  auto begin() const { return get().begin(); }
  auto end() const { return get().end(); }
  std::size_t size() const { return get().size(); }
  bool empty() const { return get().empty(); }
  const T& operator[](std::size_t index) const { return get()[index]; }

  friend bool operator==(const SharedVector& a, const SharedVector& b) {
    return a.elements_ == b.elements_ || a.get() == b.get();
  }

 private:
  std::shared_ptr<const std::vector<T>> elements_;
};

}  // namespace conch
