// Values as a person reads them: REQUEST(origin 3), {0, 2}, 1.7 for the seventh fence of epoch 1,
// `read 10..20` for a wish.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <variant>

#include "core/extent.hpp"
#include "core/kinds.hpp"

namespace conch {

/// An enum that is printed gives its word by an overload of `std::string_view word(E)`; a struct
/// that reads better without its name and those of its fields has a `print_to` of its own.
template <class T>
concept HasWord = requires(T value) {
  { word(value) } -> std::convertible_to<std::string_view>;
};

inline std::string upper_case(std::string_view name) {
  std::string upper;
  for (char c : name) {
    bool starts_word = std::isupper(static_cast<unsigned char>(c)) && !upper.empty();
    if (starts_word) upper += '-';
    upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return upper;
}

/// What a message is called, as in `REQUEST`.
template <class... Ms>
std::string_view name_of(const std::variant<Ms...>& message) {
  static const std::array<std::string, sizeof...(Ms)> names{upper_case(Ms::type_name)...};
  return names[message.index()];
}

/// A field's name as printed: without the underscore of a private member.
inline std::string_view label(std::string_view field) {
  if (field.ends_with('_')) field.remove_suffix(1);
  return field;
}

template <class T>
void print_to(std::string& out, const T& value);

namespace detail {

template <class T>
void print_number(std::string& out, const T& value) {
  if constexpr (HasWord<T>) {
    out += word(value);
  } else if constexpr (std::same_as<T, bool>) {
    out += value ? "yes" : "no";
  } else if constexpr (std::same_as<T, Fence>) {
    out += std::to_string(value.epoch().value) + "." + std::to_string(value.count());
  } else if constexpr (std::signed_integral<T>) {
    out += std::to_string(value);
  } else {
    out += std::to_string(to_number(value));
  }
}

template <class T>
void print_sequence(std::string& out, const T& values) {
  out += '{';
  bool first = true;
  for (const auto& value : values) {
    if (!std::exchange(first, false)) out += ", ";
    print_to(out, value);
  }
  out += '}';
}

inline void print_range(std::string& out, const Range& range) {
  out += std::to_string(range.begin) + "..";
  if (range.end != Range{}.end) out += std::to_string(range.end);
}

/// Prints a uniform extent like its value.
template <class Value>
void print_extent(std::string& out, const Extent<Value>& extent) {
  if (extent.uniform()) return print_to(out, extent.at(0));
  out += '{';
  extent.visit(Range{}, [&](const Range& range, const Value& value) {
    if (range.begin > 0) out += ", ";
    print_range(out, range);
    out += ' ';
    print_to(out, value);
  });
  out += '}';
}

}  // namespace detail

/// Prints a struct's fields as `name value, name value`.
template <HasFields T>
void print_fields_to(std::string& out, const T& value) {
  bool first = true;
  visit_fields(value, [&](std::string_view name, const auto& field) {
    if (!std::exchange(first, false)) out += ", ";
    out += label(name);
    out += ' ';
    print_to(out, field);
  });
}

template <class T>
void print_to(std::string& out, const T& value) {
  if constexpr (std::same_as<T, Baton>) {
    print_to(out, value.fence);
    if (value.data != DataRef{}) out += " v" + std::to_string(value.data.version);
  } else if constexpr (std::same_as<T, Range>) {
    detail::print_range(out, value);
  } else if constexpr (std::same_as<T, Wish>) {
    out += word(value.mode);
    if (value.range != Range{}) detail::print_range(out += ' ', value.range);
  } else if constexpr (detail::is_extent<T>) {
    detail::print_extent(out, value);
  } else if constexpr (Number<T>) {
    detail::print_number(out, value);
  } else if constexpr (Maybe<T>) {
    value ? print_to(out, *value) : void(out += '-');
  } else if constexpr (Choice<T>) {
    std::visit([&](const auto& chosen) { print_to(out, chosen); }, value);
  } else if constexpr (Pair<T>) {
    print_to(out, value.first);
    out += ':';
    print_to(out, value.second);
  } else if constexpr (std::same_as<T, std::string>) {
    out += '"' + value + '"';
  } else if constexpr (HasFields<T>) {
    out += upper_case(T::type_name);
    std::string fields;
    print_fields_to(fields, value);
    if (!fields.empty()) out += '(' + fields + ')';
  } else {
    detail::print_sequence(out, value);
  }
}

template <class T>
std::string print(const T& value) {
  std::string out;
  print_to(out, value);
  return out;
}

template <HasFields T>
std::string print_fields(const T& value) {
  std::string out;
  print_fields_to(out, value);
  return out;
}

}  // namespace conch
