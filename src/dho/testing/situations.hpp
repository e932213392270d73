// The situations a call can find a handle in, and orders in few words.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/print.hpp"
#include "dho/handle.hpp"

namespace conch::dho::testing {

inline constexpr NodeId self{1};
inline constexpr NodeId other{2};
inline constexpr NodeId third{3};

/// An entry, with so many bytes of this version at a place.
inline Entered entry(std::uint64_t version, std::uint64_t size, std::optional<NodeId> location) {
  return {Baton{Fence(Epoch{}, version + 1), DataRef{version, size, location}}, {}};
}

inline std::string brief(const Range& range) {
  if (range == Range{}) return "";
  std::string end = range.end == Range{}.end ? "" : std::to_string(range.end);
  return " [" + std::to_string(range.begin) + ".." + end + ")";
}
inline std::string brief(const DataRef& data) {
  std::string place = data.location ? "@" + print(*data.location) : "";
  return " v" + std::to_string(data.version) + place + " size " + std::to_string(data.size);
}

/// A handle and what it has ordered since it was last asked.
struct Driven {
  Handle handle;
  Orders out;

  explicit Driven(const Options& options = {}, NodeId node = self)
      : handle(node, Members{self, other, third}, options) {}

  /// All orders in few words.
  std::string said() {
    std::string text;
    auto say = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
    for (const auto& send : out.sends())
      say("to " + print(send.to) + ": " +
          std::visit([](const auto& m) { return brief_message(m); }, send.message));
    for (const Order& order : out.orders())
      say(std::visit([](const auto& o) { return brief_order(o); }, order));
    out.clear();
    return text;
  }

 private:
  template <class M>
  static std::string brief_message(const M& m) {
    std::string text = upper_case(M::type_name);
    if constexpr (requires { m.range; }) text += brief(m.range);
    if constexpr (requires { m.data; }) text += brief(m.data);
    if constexpr (requires { m.version; }) text += " v" + std::to_string(m.version);
    if constexpr (requires { m.bytes; }) text += " " + std::to_string(m.bytes) + " bytes";
    if constexpr (requires { m.insist; }) text += m.insist ? " insisting" : "";
    return text;
  }
  template <class O>
  static std::string brief_order(const O& order) {
    std::string text(O::type_name);
    if constexpr (requires { order.wish; }) {
      text += order.wish.mode == Mode::read ? " to read" : "";
      text += brief(order.wish.range);
    }
    if constexpr (requires { order.data; }) text += brief(order.data);
    if constexpr (requires { order.status; }) text += " (" + std::string(word(order.status)) + ")";
    return text;
  }
};

/// The columns of the table, and what is between them.
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

/// Goes through a life up to this situation. Data are 100 bytes of version 7, at the other.
inline Driven reach(Situation situation) {
  bool ahead = situation == Situation::grant_fetched || situation == Situation::fetch_ahead;
  Driven driven{Options{ahead}};
  auto& [handle, out] = driven;
  auto create = [&] {
    handle.create("data", out);
    handle.joined(out);
  };
  auto request = [&] {
    create();
    handle.request(Wish{}, out);
  };
  auto grant = [&](Mode mode = Mode::write) {
    create();
    handle.request(Wish{mode, {}}, out);
    handle.entered(entry(7, 100, other), out);
  };
  auto unlock = [&] {
    request();
    handle.entered(entry(6, 0, std::nullopt), out);
    handle.acquire(out);
    handle.resize(100);
    handle.release(out);
  };
  auto depart = [&] {
    unlock();
    handle.destroy(out);
  };
  auto arrive = [&] { handle.receive(other, Data{1, 100}, out); };
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
      handle.request(Wish{}, out);
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
