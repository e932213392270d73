// What a life of a peer wants done. Its calls write into it, and whoever made them carries it out:
// introductions first, then all messages, then the questions, then the events, each in the order
// written.
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

/// Where a life is.
struct Introduction {
  Life life;
  std::string address;
  CONCH_FIELDS(Introduction, life, address)
};

/// The first byte of what one peer says to another says what it is; this one, a Message.
inline constexpr char message_kind = 0;

class Effects {
 public:
  /// A message on its way, as bytes.
  struct Parcel {
    Life to;
    /// Where its payload is in `bytes`.
    std::size_t begin = 0;
    std::size_t size = 0;
    /// The lock that it is about, if its sender is a lock's algorithm.
    std::optional<std::string> lock = {};
    /// The name of the message.
    std::string_view type = {};
    /// Which data of the lock it speaks of; those of version 0 if of none.
    DataRef data = {};
  };

  Effects() = default;
  explicit Effects(Time now) : now_(now) {}
  virtual ~Effects() = default;
  Effects(const Effects&) = default;
  Effects& operator=(const Effects&) = default;
  Effects(Effects&&) = default;
  Effects& operator=(Effects&&) = default;

  /// The peer's clock when the call was made.
  Time now() const { return now_; }
  /// For a call that is made now.
  Effects& at(Time now) {
    now_ = now;
    return *this;
  }

  /// Encoded here, once. Virtual for those who look at messages.
  virtual void send(const Life& to, Message message);
  template <class E>
  void tell(E&& event) {
    events.emplace_back(std::forward<E>(event));
  }
  void ask(Ask ask) { asks.push_back(std::move(ask)); }
  /// For one call of an algorithm's value: empty before it and after it.
  SaidOutbox& outbox() { return outbox_; }

  bool empty() const {
    return parcels.empty() && asks.empty() && events.empty() && introductions.empty() &&
           forgotten.empty();
  }
  /// The memory is kept.
  void clear() {
    introductions.clear();
    forgotten.clear();
    bytes.clear();
    parcels.clear();
    asks.clear();
    events.clear();
    outbox_.clear();
  }
  std::string_view payload(const Parcel& parcel) const {
    return std::string_view(bytes).substr(parcel.begin, parcel.size);
  }

  /// Where lives are that no roster lists, and which are of no use any more.
  std::vector<Introduction> introductions;
  std::vector<Life> forgotten;
  std::string bytes;
  std::vector<Parcel> parcels;
  std::vector<Ask> asks;
  std::vector<Event> events;

 private:
  Time now_{};
  SaidOutbox outbox_;
};

/// Keeps messages as they are, for the checker and for tests.
class ReadableEffects final : public Effects {
 public:
  struct Send {
    Life to;
    Message message;
  };
  using Effects::Effects;
  void send(const Life& to, Message message) override { sends.push_back({to, std::move(message)}); }

  std::vector<Send> sends;
};

/// Those of one lock, which knows ids: the roster knows which lives are meant.
class LockEffects {
 public:
  LockEffects(const Roster& roster, Effects& out) : roster_(roster), out_(out) {}

  Time now() const { return out_.now(); }
  void send(NodeId to, Told told) {
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
