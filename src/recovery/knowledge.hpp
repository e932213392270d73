// Finds the newest baton anywhere in a value, of whatever algorithm, by walking its field list.
#pragma once

#include <tuple>

#include "core/extent.hpp"
#include "core/kinds.hpp"
#include "core/members.hpp"
#include "core/types.hpp"

namespace conch::recovery {

/// Compares versions first: a holder may have released while frozen, under a fence of an epoch that
/// others have left behind. The fence breaks ties: data written after a loss may repeat a version.
inline bool is_newer(const Baton& a, const Baton& b) {
  return std::tuple(a.data.version, a.fence) > std::tuple(b.data.version, b.fence);
}

template <class T>
void find_newest(const T& value, Baton& newest) {
  if constexpr (std::same_as<T, Baton>) {
    if (is_newer(value, newest)) newest = value;
  } else if constexpr (Number<T> || std::same_as<T, Members>) {
    return;
  } else if constexpr (Maybe<T>) {
    if (value) find_newest(*value, newest);
  } else if constexpr (Choice<T>) {
    std::visit([&](const auto& chosen) { find_newest(chosen, newest); }, value);
  } else if constexpr (Pair<T>) {
    find_newest(value.first, newest);
    find_newest(value.second, newest);
  } else if constexpr (HasFields<T>) {
    visit_fields(value, [&](std::string_view, const auto& field) { find_newest(field, newest); });
  } else {
    for (const auto& element : value) find_newest(element, newest);
  }
}

}  // namespace conch::recovery
