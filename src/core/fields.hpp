// Field lists: one line in a struct from which printing, hashing, encoding and size come.
//
//   struct Request {
//     NodeId origin;
//     CONCH_FIELDS(Request, origin)
//   };
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#define CONCH_PARENS ()
#define CONCH_EXPAND(...) CONCH_EXPAND3(CONCH_EXPAND3(CONCH_EXPAND3(__VA_ARGS__)))
#define CONCH_EXPAND3(...) CONCH_EXPAND2(CONCH_EXPAND2(CONCH_EXPAND2(__VA_ARGS__)))
#define CONCH_EXPAND2(...) CONCH_EXPAND1(CONCH_EXPAND1(CONCH_EXPAND1(__VA_ARGS__)))
#define CONCH_EXPAND1(...) __VA_ARGS__
#define CONCH_EACH(do, ...) __VA_OPT__(CONCH_EXPAND(CONCH_EACH_STEP(do, __VA_ARGS__)))
#define CONCH_EACH_STEP(do, first, ...) \
  do (first) __VA_OPT__(CONCH_EACH_AGAIN CONCH_PARENS(do, __VA_ARGS__))
#define CONCH_EACH_AGAIN() CONCH_EACH_STEP
#define CONCH_VISIT_FIELD(field) visitor(std::string_view(#field), self.field);
#define CONCH_COUNT_FIELD(field) +1  // NOLINT(bugprone-macro-parentheses): one of a sum

/// Declares the fields of a struct, in the order in which they are printed, hashed and sent, and
/// compares values by them.
#define CONCH_FIELDS(Struct, ...) CONCH_NAMED_FIELDS(Struct, #Struct, __VA_ARGS__)

/// The same, for a struct that is printed and sent under another name.
#define CONCH_NAMED_FIELDS(Struct, name, ...)                              \
  [[maybe_unused]] static constexpr std::string_view type_name = name;     \
  [[maybe_unused]] static constexpr std::size_t field_count =              \
      0 CONCH_EACH(CONCH_COUNT_FIELD, __VA_ARGS__);                        \
  template <class Self, class Visitor>                                     \
  static constexpr void visit_fields([[maybe_unused]] Self& self,          \
                                     [[maybe_unused]] Visitor&& visitor) { \
    CONCH_EACH(CONCH_VISIT_FIELD, __VA_ARGS__)                             \
  }                                                                        \
  [[maybe_unused]] friend bool operator==(const Struct&, const Struct&) = default;

namespace conch {

namespace detail {
struct AnyVisitor {
  template <class Field>
  void operator()(std::string_view, Field&) const {}
};
}  // namespace detail

template <class T>
concept HasFields = requires(T& value) {
  { std::remove_const_t<T>::type_name } -> std::convertible_to<std::string_view>;
  std::remove_const_t<T>::visit_fields(value, detail::AnyVisitor{});
};

template <class T, class Visitor>
constexpr void visit_fields(T& value, Visitor&& visitor) {
  std::remove_const_t<T>::visit_fields(value, visitor);
}

}  // namespace conch
