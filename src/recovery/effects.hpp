// What a life of a peer wants done. Each call writes its effects here, and the caller carries them
// out afterwards: introductions first, then messages, then questions to the register, then events,
// each in the order written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recovery/messages.hpp"
#include "recovery/register_talk.hpp"
#include "recovery/view.hpp"

namespace conch::recovery {

/// The address of a life.
struct Introduction {
  PeerInstance life;
  std::string address;
  CONCH_FIELDS(Introduction, life, address)
};

/// The first byte of a payload is its kind; this kind is a Message.
inline constexpr char message_kind = 0;

class Effects {
 public:
  /// An encoded outgoing message.
  struct OutgoingMessage {
    PeerInstance to;
    /// Offset of its payload in `bytes`.
    std::size_t begin = 0;
    std::size_t size = 0;
    /// The lock that it is about, if a lock's algorithm sent it.
    std::optional<std::string> lock = {};
    /// The name of the message.
    std::string_view type = {};
    /// The data of the lock that it mentions; version 0 if it mentions none.
    DataRef data = {};
  };

  Effects() = default;
  explicit Effects(Time now) : now_(now) {}
  virtual ~Effects() = default;
  Effects(const Effects&) = default;
  Effects& operator=(const Effects&) = default;
  Effects(Effects&&) = default;
  Effects& operator=(Effects&&) = default;

  /// The peer's clock at the time of the call.
  Time now() const { return now_; }
  /// Sets the time for the next call.
  Effects& at(Time now) {
    now_ = now;
    return *this;
  }

  /// Encodes the message. Virtual so that the checker and tests can see messages.
  virtual void send(const PeerInstance& to, Message message);
  template <class E>
  void tell(E&& event) {
    events.emplace_back(std::forward<E>(event));
  }
  void ask(RegisterRequest ask) { asks.push_back(std::move(ask)); }
  /// Scratch outbox for one call of an algorithm's value; empty before and after the call.
  SaidOutbox& outbox() { return outbox_; }

  bool empty() const {
    return outgoing.empty() && asks.empty() && events.empty() && introductions.empty() &&
           forgotten.empty();
  }
  /// Drops all effects but keeps the memory.
  void clear() {
    introductions.clear();
    forgotten.clear();
    bytes.clear();
    outgoing.clear();
    asks.clear();
    events.clear();
    outbox_.clear();
  }
  std::string_view payload(const OutgoingMessage& outgoing_message) const {
    return std::string_view(bytes).substr(outgoing_message.begin, outgoing_message.size);
  }

  /// Addresses of lives that no roster lists, and lives that are no longer needed.
  std::vector<Introduction> introductions;
  std::vector<PeerInstance> forgotten;
  std::string bytes;
  std::vector<OutgoingMessage> outgoing;
  std::vector<RegisterRequest> asks;
  std::vector<MemberEvent> events;

 private:
  Time now_{};
  SaidOutbox outbox_;
};

/// Keeps messages decoded instead of encoding them, for the checker and for tests.
class ReadableEffects final : public Effects {
 public:
  struct Send {
    PeerInstance to;
    Message message;
  };
  using Effects::Effects;
  void send(const PeerInstance& to, Message message) override {
    sends.push_back({to, std::move(message)});
  }

  std::vector<Send> sends;
};

/// The effects of one lock. Algorithms address node ids; the roster maps an id to its life.
class LockEffects {
 public:
  LockEffects(const Roster& roster, Effects& out) : roster_(roster), out_(out) {}

  Time now() const { return out_.now(); }
  void send(NodeId to, LockMessage told) {
    if (const Member* member = roster_.find(to)) out_.send(member->life(), std::move(told));
  }
  template <class E>
  void tell(E&& event) {
    out_.tell(std::forward<E>(event));
  }
  SaidOutbox& outbox() { return out_.outbox(); }

 private:
  const Roster& roster_;
  Effects& out_;
};

}  // namespace conch::recovery
