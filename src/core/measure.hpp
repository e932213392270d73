// Sizes by field list: how many bytes a value takes on the wire, how many elements it remembers.
#pragma once

#include "core/extent.hpp"
#include "core/kinds.hpp"
#include "core/members.hpp"

namespace conch {

/// The length of a MessagePack unsigned integer.
constexpr std::size_t encoded_size_of_number(std::uint64_t number) {
  if (number < 0x80) return 1;
  if (number <= 0xff) return 2;
  if (number <= 0xffff) return 3;
  if (number <= 0xffff'ffff) return 5;
  return 9;
}

/// The length of a MessagePack array's or map's header.
constexpr std::size_t encoded_size_of_header(std::size_t elements) {
  if (elements < 16) return 1;
  return elements <= 0xffff ? 3 : 5;
}

/// The length of a MessagePack text, header and bytes.
constexpr std::size_t encoded_size_of_text(std::size_t length) {
  if (length < 32) return 1 + length;
  if (length <= 0xff) return 2 + length;
  return (length <= 0xffff ? 3 : 5) + length;
}

template <class T>
constexpr std::size_t encoded_size(const T& value);

/// The length of a choice: its index and what was chosen.
template <class T>
constexpr std::size_t encoded_size_of_choice(std::size_t index, const T& chosen) {
  return encoded_size_of_header(2) + encoded_size_of_number(index) + encoded_size(chosen);
}

/// Exactly the number of bytes that `encode` writes.
template <class T>
constexpr std::size_t encoded_size(const T& value) {
  if constexpr (Number<T>) {
    return encoded_size_of_number(to_number(value));
  } else if constexpr (Text<T>) {
    return encoded_size_of_text(value.size());
  } else if constexpr (Maybe<T>) {
    return value ? encoded_size(*value) : 1;
  } else if constexpr (Choice<T>) {
    return std::visit(
        [&](const auto& chosen) { return encoded_size_of_choice(value.index(), chosen); }, value);
  } else if constexpr (Pair<T>) {
    return encoded_size_of_header(2) + encoded_size(value.first) + encoded_size(value.second);
  } else if constexpr (HasFields<T>) {
    std::size_t size = encoded_size_of_header(T::field_count);
    visit_fields(value, [&](std::string_view, const auto& field) { size += encoded_size(field); });
    return size;
  } else {
    std::size_t size = encoded_size_of_header(std::ranges::size(value));
    for (const auto& element : value) size += encoded_size(element);
    return size;
  }
}

/// How many things a value remembers: the elements of all its sequences, and its optionals that are
/// set. Members are shared and a baton is cargo, so neither counts; of an extent only what its
/// values remember does. At quiescence an algorithm remembers no more than when it started.
template <class T>
constexpr std::size_t remembered(const T& value) {
  if constexpr (Number<T> || std::same_as<T, Members> || std::same_as<T, Baton>) {
    return 0;
  } else if constexpr (Maybe<T>) {
    return value ? 1 + remembered(*value) : 0;
  } else if constexpr (Choice<T>) {
    return std::visit([](const auto& chosen) { return remembered(chosen); }, value);
  } else if constexpr (Pair<T>) {
    return remembered(value.first) + remembered(value.second);
  } else if constexpr (detail::is_extent<T>) {
    std::size_t count = 0;
    value.visit(Range{}, [&](const Range&, const auto& each) { count += remembered(each); });
    return count;
  } else if constexpr (HasFields<T>) {
    std::size_t count = 0;
    visit_fields(value, [&](std::string_view, const auto& field) { count += remembered(field); });
    return count;
  } else {
    std::size_t count = std::ranges::size(value);
    for (const auto& element : value) count += remembered(element);
    return count;
  }
}

}  // namespace conch
