// Test doubles: the central server with one broken promise each, to prove that the checks notice.
#pragma once

#include <utility>

#include "core/contract.hpp"
#include "mutex/central.hpp"

namespace conch::testing {

/// A fault may change a request before the server sees it, and an entry before the harness does.
struct NoFault {
  static Wish ask(const Wish& wish) { return wish; }
  static void enter(Entered&) {}
};
struct WriterAsReader : NoFault {
  static Wish ask(const Wish& wish) { return {Mode::read, wish.range}; }
};
struct ShorterRange : NoFault {
  static Wish ask(const Wish& wish) {
    return {wish.mode, {wish.range.begin, wish.range.begin + 1}};
  }
  static void enter(Entered& entered) { entered.parts.clear(); }
};
struct LargerFence : NoFault {
  static void enter(Entered& entered) { entered.baton.fence = entered.baton.fence.next(); }
};
struct FirstFence : NoFault {
  static void enter(Entered& entered) { entered.baton.fence = Fence(Epoch{}, 1); }
};
struct LostPart : NoFault {
  static void enter(Entered& entered) {
    if (!entered.parts.empty()) entered.parts.pop_back();
  }
};
struct StalePart : NoFault {
  static void enter(Entered& entered) {
    for (Part& part : entered.parts) part.baton.data = {};
  }
};

template <class Fault>
class Faulty {
 public:
  using Message = Central::Message;
  using Out = Outbox<Message>;
  static constexpr About about = Central::about;

  Faulty(NodeId self, const Assignment& start) : sound_(self, start) {}

  void request(Out& out) { request(Wish{}, out); }
  void request(const Wish& wish, Out& out) {
    call(out, [&](Out& inner) { sound_.request(Fault::ask(wish), inner); });
  }
  void release(const DataRef& data, Out& out) {
    call(out, [&](Out& inner) { sound_.release(data, inner); });
  }
  void cancel(Out& out) {
    call(out, [&](Out& inner) { sound_.cancel(inner); });
  }
  void receive(NodeId from, const auto& message, Out& out) {
    call(out, [&](Out& inner) { sound_.receive(from, message, inner); });
  }

 private:
  template <class Call>
  void call(Out& out, Call&& run) {
    Out inner;
    run(inner);
    for (auto& send : inner.sends()) out.send(send.to, std::move(send.message));
    for (const Effect& effect : inner.effects()) {
      if (const auto* sound = std::get_if<Entered>(&effect)) {
        Entered entered = *sound;
        Fault::enter(entered);
        out.enter(entered.baton, entered.parts);
      } else {
        out.withdrawn();
      }
    }
  }

  Central sound_;

 public:
  CONCH_FIELDS(Faulty, sound_)
};

}  // namespace conch::testing
