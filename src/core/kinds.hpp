// How a field list's walkers (print, hash, encode) see a value: as a number, a text, a maybe, a
// sequence, a choice, or a struct of fields.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/fields.hpp"
#include "core/types.hpp"

namespace conch {

namespace detail {
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;
template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;
}  // namespace detail

// Each kind of number as an unsigned one. Signed numbers wrap; from_number brings them back.
constexpr std::uint64_t to_number(bool value) { return value ? 1 : 0; }
constexpr std::uint64_t to_number(NodeId value) { return value.value; }
constexpr std::uint64_t to_number(Epoch value) { return value.value; }
constexpr std::uint64_t to_number(Fence value) { return value.number(); }
constexpr std::uint64_t to_number(Stamp value) { return value.value; }
constexpr std::uint64_t to_number(Duration value) {
  return static_cast<std::uint64_t>(value.count());
}
template <std::integral T>
constexpr std::uint64_t to_number(T value) {
  return static_cast<std::uint64_t>(value);
}
template <class T>
requires std::is_enum_v<T>
constexpr std::uint64_t to_number(T value) { return static_cast<std::uint64_t>(value); }

template <class T>
concept Number =
    std::integral<T> || std::is_enum_v<T> || std::same_as<T, NodeId> || std::same_as<T, Epoch> ||
    std::same_as<T, Fence> || std::same_as<T, Stamp> || std::same_as<T, Duration>;

/// 36 years. Longer durations are refused, so that the sum of a few does not overflow.
inline constexpr Duration duration_max{std::int64_t{1} << 60};

/// The value whose number this is, or nothing if the number does not fit the type.
template <Number T>
constexpr std::optional<T> from_number(std::uint64_t number) {
  T value{};
  if constexpr (std::same_as<T, bool>) {
    value = number != 0;
  } else if constexpr (std::integral<T> || std::is_enum_v<T>) {
    value = static_cast<T>(number);
  } else if constexpr (std::same_as<T, Epoch>) {
    value = Epoch{static_cast<std::uint32_t>(number)};
  } else if constexpr (std::same_as<T, Duration>) {
    value = Duration(static_cast<std::int64_t>(number));
  } else {
    value = T{number};
  }
  if (to_number(value) != number) return std::nullopt;
  if constexpr (std::same_as<T, Duration>)
    if (value > duration_max || value < -duration_max) return std::nullopt;
  return value;
}

template <class T>
concept Maybe = detail::is_optional<T>;
template <class T>
concept Choice = detail::is_variant<T>;
template <class T>
concept Pair = detail::is_pair<T>;
template <class T>
concept Text = std::same_as<T, std::string>;
template <class T>
concept Sequence = std::ranges::sized_range<T> && !HasFields<T>;

}  // namespace conch
