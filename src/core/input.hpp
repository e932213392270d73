// The inputs that a world gives to one value of an algorithm, besides messages. The concepts of
// core/contract.hpp say what each means.
#pragma once

#include <variant>

#include "core/contract.hpp"
#include "core/expect.hpp"

namespace conch {

/// An algorithm may get only the inputs that it has a function for.
namespace input {

/// The exception: every algorithm may get it, and most ignore it.
struct Start {
  void to([[maybe_unused]] auto& a, [[maybe_unused]] auto& out) const {
    if constexpr (requires { a.start(out); }) a.start(out);
  }
};
struct Request {
  Wish wish = {};
  auto to(auto& a, auto& out) const -> decltype(a.request(out)) {
    if constexpr (requires { a.request(wish, out); }) return a.request(wish, out);
    CONCH_EXPECT(wish == Wish{}, "an algorithm that is not Shared is asked to write everything");
    a.request(out);
  }
};
struct Cancel {
  auto to(auto& a, auto& out) const -> decltype(a.cancel(out)) { a.cancel(out); }
};
struct Release {
  DataRef data = {};
  auto to(auto& a, auto& out) const -> decltype(a.release(data, out)) { a.release(data, out); }
};
struct Timer {
  TimerId timer{};
  auto to(auto& a, auto& out) const -> decltype(a.timer(timer, out)) { a.timer(timer, out); }
};
struct Suspect {
  NodeId node;
  auto to(auto& a, auto& out) const -> decltype(a.suspect(node, out)) { a.suspect(node, out); }
};
struct Join {
  NodeId contact;
  auto to(auto& a, auto& out) const -> decltype(a.join(contact, out)) { a.join(contact, out); }
};
struct Leave {
  auto to(auto& a, auto& out) const -> decltype(a.leave(out)) { a.leave(out); }
};
struct Roster {
  const Members& members;
  auto to(auto& a, auto& out) const -> decltype(a.roster(members, out)) { a.roster(members, out); }
};
struct Elect {
  auto to(auto& a, auto& out) const -> decltype(a.elect(out)) { a.elect(out); }
};
struct Retire {
  auto to(auto& a, auto& out) const -> decltype(a.retire(out)) { a.retire(out); }
};
struct Restart {
  auto to(auto& a, auto& out) const -> decltype(a.restart(out)) { a.restart(out); }
};

}  // namespace input

using Input = std::variant<input::Start, input::Request, input::Cancel, input::Release,
                           input::Timer, input::Suspect, input::Join, input::Leave, input::Roster,
                           input::Elect, input::Retire, input::Restart>;

template <Algorithm A>
void apply(A& algorithm, const Input& input, OutboxOf<A>& out) {
  std::visit(
      [&](const auto& each) {
        if constexpr (requires { each.to(algorithm, out); }) return each.to(algorithm, out);
        CONCH_EXPECT(false, "an algorithm gets only inputs that it has a function for");
      },
      input);
}

}  // namespace conch
