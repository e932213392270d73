// The situations in which a call can find a handle, and a way to print orders briefly.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/print.hpp"
#include "dho/handle.hpp"

namespace conch::dho::testing {

/// An entry with `size` bytes of this version, which are at a place or nowhere.
inline Baton entry(std::uint64_t version, std::uint64_t size, bool is_somewhere = true) {
  std::optional<NodeId> place;
  if (is_somewhere) place = NodeId{2};
  return {Fence(Epoch{}, version + 1), DataRef{version, size, place}};
}

/// A handle and its orders since they were last printed.
struct Driven {
  Handle handle;
  Orders out;

  explicit Driven(const HandleOptions& options = {}) : handle(options) {}

  /// Prints all orders briefly, and forgets them.
  std::string said() {
    std::string text;
    for (const Order& order : std::exchange(out, {}))
      text += (text.empty() ? "" : ", ") +
              std::visit([](const auto& chosen) { return brief(chosen); }, order);
    return text;
  }

 private:
  template <class O>
  static std::string brief(const O& order) {
    std::string text(O::type_name);
    if constexpr (requires { order.mode; }) text += order.mode == Mode::read ? " to read" : "";
    if constexpr (requires { order.status; }) text += " (" + std::string(word(order.status)) + ")";
    return text;
  }
};

/// The columns of the table in handle.hpp, and the situations between them.
enum class Situation : std::uint8_t {
  invalid,
  joining,
  departing,
  returning,
  valid,
  unlock,
  withdrawing,
  req,
  rerequested,
  grant,
  grant_fetched,
  blocked,
  fetch,
  fetch_ahead,
  locked,
  locked_to_read,
  lost,
};
inline constexpr std::array<std::pair<Situation, std::string_view>, 17> situations{{
    {Situation::invalid, "invalid"},
    {Situation::joining, "joining"},
    {Situation::departing, "departing"},
    {Situation::returning, "returning"},
    {Situation::valid, "valid"},
    {Situation::unlock, "unlock"},
    {Situation::withdrawing, "withdrawing"},
    {Situation::req, "req"},
    {Situation::rerequested, "requested again"},
    {Situation::grant, "grant"},
    {Situation::grant_fetched, "grant, fetched"},
    {Situation::blocked, "blocked"},
    {Situation::fetch, "fetch"},
    {Situation::fetch_ahead, "fetch ahead"},
    {Situation::locked, "locked"},
    {Situation::locked_to_read, "locked to read"},
    {Situation::lost, "lost"},
}};

/// Takes a new handle to this situation. The data are 100 bytes of version 7, elsewhere.
inline Driven reach(Situation situation) {
  bool ahead = situation == Situation::grant_fetched || situation == Situation::fetch_ahead;
  Driven driven{HandleOptions{ahead}};
  auto& [handle, out] = driven;
  auto create = [&] {
    handle.create("data", out);
    handle.joined(out);
  };
  auto request = [&] {
    create();
    handle.request(Mode::write, out);
  };
  auto grant = [&](Mode mode = Mode::write) {
    create();
    handle.request(mode, out);
    handle.entered(entry(7, 100), out);
  };
  auto unlock = [&] {
    request();
    handle.entered(entry(6, 0), out);
    handle.acquire(out);
    handle.resize(100);
    handle.release(out);
    handle.keep(true);
  };
  auto depart = [&] {
    create();
    handle.destroy(out);
  };
  auto arrive = [&] { handle.brought(CallStatus::ok, out); };
  switch (situation) {
    case Situation::invalid: break;
    case Situation::joining: handle.create("data", out); break;
    case Situation::departing: depart(); break;
    case Situation::returning:
      depart();
      handle.create("data", out);
      break;
    case Situation::valid: create(); break;
    case Situation::unlock: unlock(); break;
    case Situation::withdrawing:
      request();
      handle.cancel(out);
      break;
    case Situation::req: request(); break;
    case Situation::rerequested:
      request();
      handle.request(Mode::write, out);
      break;
    case Situation::grant:
    case Situation::fetch_ahead: grant(); break;
    case Situation::grant_fetched:
      grant();
      arrive();
      break;
    case Situation::blocked:
      request();
      handle.acquire(out);
      break;
    case Situation::fetch:
      grant();
      handle.acquire(out);
      break;
    case Situation::locked:
    case Situation::locked_to_read:
      grant(situation == Situation::locked ? Mode::write : Mode::read);
      handle.acquire(out);
      arrive();
      break;
    case Situation::lost:
      create();
      handle.lost(out);
      break;
  }
  out.clear();
  return driven;
}

}  // namespace conch::dho::testing
