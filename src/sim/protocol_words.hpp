// Prints a protocol over an overlay in its own words: of a message, carried or direct, what the
// protocol says; of a node, the protocol's state.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "core/print.hpp"

namespace conch::sim {

/// A protocol and an overlay as one.
template <class A>
concept Carrying = requires(const A& a) {
  a.protocol();
};

/// Prints the fields of a value, and among them those of its base class, which is listed as a
/// field.
template <class T>
void print_fields_of(std::string& out, const T& value) {
  visit_fields(value, [&](std::string_view name, const auto& field) {
    if constexpr (std::is_base_of_v<std::remove_cvref_t<decltype(field)>, T>) {
      print_fields_of(out, field);
    } else {
      out += (out.empty() ? "" : ", ") + std::string(label(name)) + ' ' + conch::print(field);
    }
  });
}

template <class A>
std::string print_protocol(const A& value) {
  std::string text;
  if constexpr (Carrying<A>) {
    print_fields_of(text, value.protocol());
  } else {
    print_fields_of(text, value);
  }
  return text;
}

/// What the protocol says in a message; nothing for a message of the overlay itself.
template <Carrying A>
auto said_in(const typename A::Message& message) {
  auto* carried = std::get_if<typename A::Carried>(&message);
  if (carried != nullptr) return &carried->message;
  auto* direct = std::get_if<typename A::Direct>(&message);
  return direct != nullptr ? &direct->message : nullptr;
}

template <class A>
std::string print_said(const typename A::Message& message) {
  if constexpr (Carrying<A>)
    if (auto* said = said_in<A>(message)) return conch::print(*said);
  return conch::print(message);
}

}  // namespace conch::sim
