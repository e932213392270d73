// A view of contiguous values, for programs in C++17. Where std::span exists, each converts to the
// other implicitly.
#pragma once

#include <cstddef>
#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

namespace conch {

template <class T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(T* data, std::size_t size) : data_(data), size_(size) {}
#ifdef __cpp_lib_span
  constexpr Span(std::span<T> other) : Span(other.data(), other.size()) {}
#endif

  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace conch

#ifdef __cpp_lib_span
/// The values outlive the view, so a std::span may be made from a temporary Span.
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<conch::Span<T>> = true;
#endif
