// What a handle wants done: messages to other handles, and orders to its lock manager, to the world
// and to the application. It is filled during one call and emptied by the world after it.
#pragma once

#include <variant>
#include <vector>

#include "core/types.hpp"
#include "dho/status.hpp"

namespace conch::dho {

// Between handles. A transfer carries its fetcher's number; an inheritance that of the leaver.

/// Send me these bytes. The fetcher holds the lock until they have come: whoever is asked is there.
struct Fetch {
  std::uint64_t number = 0;
  Range range;
  DataRef data;
  CONCH_FIELDS(Fetch, number, range, data)
};
/// The bytes, so many: the world accounts for them and delivers this when the last has come.
struct Data {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  CONCH_FIELDS(Data, number, bytes)
};
/// You do not get them as they were left: I was thrown out of the group since; somebody died while
/// it wrote; or there is no memory for them, and you may ask again.
struct Absent {
  static constexpr bool may_come_late = true;
  std::uint64_t number = 0;
  Status why = Status::peer_lost;
  CONCH_FIELDS(Absent, number, why)
};
/// I have them, to write: you need not keep them.
struct Got {
  static constexpr bool may_come_late = true;
  Range range;
  std::uint64_t version = 0;
  CONCH_FIELDS(Got, range, version)
};
/// I leave: will you have my data? One who leaves, too, declines, unless I insist: then everybody
/// has declined, and the one with the larger identifier stays longer.
struct Invite {
  static constexpr bool may_come_late = true;
  std::uint64_t number = 0;
  bool insist = false;
  CONCH_FIELDS(Invite, number, insist)
};
struct Accept {
  static constexpr bool may_come_late = true;
  std::uint64_t number = 0;
  CONCH_FIELDS(Accept, number)
};
struct Decline {
  static constexpr bool may_come_late = true;
  std::uint64_t number = 0;
  CONCH_FIELDS(Decline, number)
};
/// The bytes, as in DATA. They are called `data` from now on, and are with you.
struct Push {
  static constexpr bool may_come_late = true;
  std::uint64_t number = 0;
  Range range;
  DataRef data;
  std::uint64_t bytes = 0;
  CONCH_FIELDS(Push, number, range, data, bytes)
};
struct Kept {
  static constexpr bool may_come_late = true;
  std::uint64_t number = 0;
  CONCH_FIELDS(Kept, number)
};

using Message = std::variant<Fetch, Data, Absent, Got, Invite, Accept, Decline, Push, Kept>;

/// The bytes of data that travel with a message, besides the message itself.
inline std::uint64_t cargo(const Message& message) {
  if (const auto* data = std::get_if<Data>(&message)) return data->bytes;
  if (const auto* push = std::get_if<Push>(&message)) return push->bytes;
  return 0;
}

// To the lock manager.

/// Become a member of the group of the handle's name; `joined` answers.
struct Join {
  CONCH_FIELDS(Join)
};
/// `entered` answers, or `withdrawn` if it is cancelled before.
struct Ask {
  Wish wish;
  CONCH_FIELDS(Ask, wish)
};
struct Cancel {
  CONCH_FIELDS(Cancel)
};
struct Release {
  DataRef data;
  CONCH_FIELDS(Release, data)
};
/// `left` answers.
struct Leave {
  CONCH_FIELDS(Leave)
};

// To the world: the one timer of a handle. After the delay, `deadline`.

struct Arm {
  Duration delay{};
  CONCH_FIELDS(Arm, delay)
};
struct Disarm {
  CONCH_FIELDS(Disarm)
};

// To the application: a call that answered `waiting` has ended.

struct Created {
  CONCH_FIELDS(Created)
};
struct CreateFailed {
  Status status = Status::ok;
  CONCH_FIELDS(CreateFailed, status)
};
struct Acquired {
  CONCH_FIELDS(Acquired)
};
struct AcquireFailed {
  Status status = Status::ok;
  CONCH_FIELDS(AcquireFailed, status)
};

using Order = std::variant<Join, Ask, Cancel, Release, Leave, Arm, Disarm, Created, CreateFailed,
                           Acquired, AcquireFailed>;

class Orders {
 public:
  struct Send {
    NodeId to;
    Message message;
    CONCH_FIELDS(Send, to, message)
  };

  /// Handed to the network first, in this order.
  void send(NodeId to, const Message& message) { sends_.push_back({to, message}); }
  /// Carried out after the sends, in the order written; what the lock manager answers to one is
  /// told to the handle after the last.
  void order(const Order& order) { orders_.push_back(order); }

  // The world's side.
  const std::vector<Send>& sends() const { return sends_; }
  const std::vector<Order>& orders() const { return orders_; }
  bool empty() const { return sends_.empty() && orders_.empty(); }
  void clear() {
    sends_.clear();
    orders_.clear();
  }

 private:
  std::vector<Send> sends_;
  std::vector<Order> orders_;
};

}  // namespace conch::dho
