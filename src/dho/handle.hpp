// A DHO handle: the resource manager between an application and its lock manager. The data that a
// lock protects travel with it, from the last writer straight to whoever is next.
//
// Source: Hernane, Gustedt, Benyettou 2015, section 6, with its table 1 and listing 1 made whole.
//
// A handle is a value. It is told what happened and writes what must be done into Orders. Its lock
// manager is any algorithm of the contract; the world carries out the handle's orders as soon as
// the call is over, and tells the handle at once what the lock manager says: an `entered` and a
// cancel do not cross.
//
// What a call does, by the state it finds. An answer alone changes nothing; without one it is ok.
//
//           invalid        valid, unlock   req               grant            blocked   locked
//   create  join, waiting  ignored         cancel: valid     pass: valid      busy      busy
//   request invalid        ask: req        cancel, ask: req  pass, ask: req   busy      busy
//   acquire invalid        not requested   blocked, waiting  locked, or       busy      ok
//                                                            fetch, waiting
//   release ignored        ignored         cancel: valid     pass: valid      as req    pass
//   cancel  ignored        ignored         cancel: valid     pass: valid      as req    busy
//   destroy ignored        leave: invalid  cancel, leave     pass, leave      as req    pass, leave
//   resize  invalid        not held        not held          not held         not held  ok
//
//   - fetch is as blocked while the application waits, but a lock that is given up is passed, not
//     cancelled; and as grant while it does not, because the data are fetched ahead or because a
//     timed acquire gave up.
//   - lost answers `peer lost`; but create joins anew, and destroy makes it invalid.
//   - invalid is also a handle on its way in or out. A destroy on the way in makes the create fail
//     (`cancelled`); a create on the way out waits until we have left and joined again; a second
//     create is ignored.
//   - create by another name than the handle has is `busy` unless the state is invalid or lost.
//   - "valid" is unlock whenever newest data are nowhere but here. Both answer alike: unlock never
//     keeps an application from anything. It ends when a writer has fetched the data.
//   - A call that waits is ended by an order: created, acquired, or failed with the reason.
//   - release and cancel give up a request that was not acquired. Printed, they are "ignored", and
//     the lock stays in grant for ever (listing 1).
//   - A request in req or grant loses the old one's place in the queue.
//
// Data. A lock's DataRef says which version is where; its `size` is where the data end, so that it
// can be told how much of it is in a range. Versions increase with every change of place.
//
//   - Who enters fetches from there before it is locked (or at once, with `prefetch`).
//   - A writer then tells the keeper that it need not keep them (GOT), and is the place with its
//     release. A reader changes nothing.
//   - The lock is not passed on while a transfer is under way, so nobody is asked for data after
//     having left. One that was given up is passed on without fetching; only if it covers parts
//     that are in several places they are brought together first, because a release names one.
//
// Leaving. To the application the handle is invalid at once. One that keeps newest data stays until
// they are elsewhere: a writer fetched them, or we got the lock ourselves and an heir took them.
// The last member's data end with it.
//
//   FETCH(number, range, data)  send me these
//   DATA(number, bytes)         here they are; the transfer ends with this
//   ABSENT(number, why)         I lost them, or they are torn: the acquire fails once, and says so
//   GOT(range, version)         I hold them to write, do not keep them
//   INVITE(number, insist)      I leave: take my data?
//   ACCEPT, DECLINE             yes; no, I leave as well
//   PUSH(number, data, bytes)   here they are
//   KEPT(number)                I keep them
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/expect.hpp"
#include "core/flat_set.hpp"
#include "core/members.hpp"
#include "core/outbox.hpp"
#include "dho/copies.hpp"
#include "dho/orders.hpp"
#include "dho/status.hpp"

namespace conch::dho {

struct Options {
  /// Fetch at the grant, not when the application acquires.
  bool prefetch = false;
  CONCH_FIELDS(Options, prefetch)
};

class Handle {
 public:
  using Message = dho::Message;

  /// The members are those whose handle of this name is valid, or about to be; later ones are told
  /// by `roster`.
  Handle(NodeId self, const Members& members, const Options& options = {});

  // The application calls.

  Status create(std::string_view name, Orders& out);
  /// The part of the range that is in the handle's window.
  Status request(const Wish& wish, Orders& out);
  State test() const { return state_; }
  Status acquire(Orders& out);
  /// Waits no longer than this; if it is nothing, not at all.
  Status acquire(Duration patience, Orders& out);
  Status release(Orders& out);
  Status cancel(Orders& out);
  Status destroy(Orders& out);
  /// Where the data shall end. The range that is held must reach as far as the data may.
  Status resize(std::uint64_t size);
  /// A handle of its own, with another identifier, for a part of what this one is for; its first
  /// orders are those of a create that waits. Nothing, if this one is not valid or the part empty.
  std::optional<Handle> duplicate(NodeId self, std::uint64_t offset, std::uint64_t length,
                                  Orders& out) const;

  // The lock manager says.

  void joined(Orders& out);
  void entered(const Entered& entered, Orders& out);
  void withdrawn(Orders& out);
  void left(Orders& out);
  /// We were thrown out of the group: by a lease that ran out, or by a recovery without us.
  void lost(Orders& out);

  // The world says.

  /// Before `entered`, or while the application has not acquired: something is wrong with the data
  /// that the lock brings. The next acquire fails with this, once.
  void warn(Status fault) { fault_ = fault; }
  /// Who has, or is about to have, a valid handle of this name. A newcomer is on the roster before
  /// its `join` is carried out, a leaver until its `left`.
  void roster(const Members& members, Orders& out);
  void deadline(Orders& out);

  // Other handles say.

  void receive(NodeId from, const Fetch& m, Orders& out);
  void receive(NodeId from, const Data& m, Orders& out);
  void receive(NodeId from, const Absent& m, Orders& out);
  void receive(NodeId from, const Got& m, Orders& out);
  void receive(NodeId from, const Invite& m, Orders& out);
  void receive(NodeId from, const Accept& m, Orders& out);
  void receive(NodeId from, const Decline& m, Orders& out);
  void receive(NodeId from, const Push& m, Orders& out);
  void receive(NodeId from, const Kept& m, Orders& out);

  // To look at.

  NodeId self() const { return self_; }
  const std::string& name() const { return name_; }
  State state() const { return state_; }
  /// Of table 1.
  Peer peer() const;
  /// Nothing is owed and nobody is awaited: the world may drop the value of an invalid handle.
  bool gone() const { return bond_ == Bond::outside; }
  /// What the handle is for: everything, or a part if it is a duplicate.
  const Range& window() const { return window_; }
  /// In grant, fetch and locked: what the lock brought. Otherwise empty.
  const std::vector<Part>& parts() const { return parts_; }
  /// In grant, fetch and locked: the fence of this entry.
  std::optional<Fence> fence() const;
  /// In locked: where the data end.
  std::uint64_t size() const { return size_; }
  /// What must be kept here, because it is nowhere else.
  const Copies& copies() const { return copies_; }

 protected:  // a specimen changes one rule
  /// What the group thinks of us.
  enum class Bond : std::uint8_t { outside, joining, member, leaving };
  friend std::string_view word(Bond bond) {
    switch (bond) {
      case Bond::outside: return "outside";
      case Bond::joining: return "joining";
      case Bond::member: return "member";
      case Bond::leaving: return "leaving";
    }
    return "?";
  }
  /// What the lock manager does for us.
  enum class Lock : std::uint8_t { idle, asked, withdrawing, held };
  friend std::string_view word(Lock lock) {
    switch (lock) {
      case Lock::idle: return "idle";
      case Lock::asked: return "asked";
      case Lock::withdrawing: return "withdrawing";
      case Lock::held: return "held";
    }
    return "?";
  }
  /// Between destroy and `left`.
  struct Departure {
    /// The name by which to come back.
    std::optional<std::string> back_as;
    std::optional<NodeId> heir;
    std::uint64_t invitation = 0;
    FlatSet<NodeId> declined;
    bool insist = false;
    /// Nobody takes the data: somebody must come or go first.
    bool stuck = false;
    CONCH_FIELDS(Departure, back_as, heir, invitation, declined, insist, stuck)
  };

  Status create_anew(std::string_view name, Orders& out);
  Status destroy_unborn(Orders& out);
  bool is_creating() const;
  const std::string& coming_name() const;
  void join(std::string_view name, Orders& out);
  Status take(Orders& out);
  void stop_waiting();
  void give_up(Orders& out);
  void drop();
  void end_acquire(const Order& end, Orders& out);
  void rest();
  void copies_changed(Orders& out);

  void proceed(Orders& out);
  void ask(const Wish& wish, Orders& out);
  void hold(const Entered& entered);
  void learn(const Part& part);
  void forget_lock();

  bool is_elsewhere(const Part& part) const;
  DataRef next_version(std::optional<NodeId> location) const;
  void gather(Orders& out);
  void arrive(std::uint64_t number, Orders& out);
  void finish_acquire(Orders& out);
  void lock(Orders& out);
  void take_over(Orders& out);
  void let_go(Orders& out);
  void write_back(Orders& out);
  void give_back(const DataRef& data, Orders& out);

  void depart(Orders& out);
  void bequeath(Orders& out);
  std::optional<NodeId> next_heir();
  bool is_heir(NodeId node, std::uint64_t invitation) const;
  bool can_keep() const;
  void end_data(Orders& out);
  void retreat(Orders& out);
  void end_departure(Orders& out);

  NodeId self_;
  Options options_;
  Members members_;
  Range window_;
  std::string name_;

  State state_ = State::invalid;
  /// The application waits for `acquire`; and with a deadline.
  bool acquiring_ = false;
  bool armed_ = false;
  /// What the application asked for and has not given up.
  std::optional<Wish> wish_;

  Bond bond_ = Bond::outside;
  std::optional<Departure> departure_;

  Lock lock_ = Lock::idle;
  /// What the lock manager was asked for, and whether nobody wants that any more.
  Wish asked_;
  bool abandoned_ = false;
  /// What the lock covers, which is everything where the algorithm does not know of ranges.
  Range span_;
  Fence fence_;
  std::vector<Part> parts_;
  /// Where the data end, as the application has it.
  std::uint64_t size_ = 0;

  /// Counts transfers and invitations.
  std::uint64_t number_ = 0;
  FlatSet<std::uint64_t> transfers_;
  bool gathered_ = false;
  /// Some data are lost or torn, and the application has not been told.
  Status fault_ = Status::ok;
  Copies copies_;

 public:
  CONCH_FIELDS(Handle, self_, options_, members_, window_, name_, state_, acquiring_, armed_, wish_,
               bond_, departure_, lock_, asked_, abandoned_, span_, fence_, parts_, size_, number_,
               transfers_, gathered_, fault_, copies_)
};

/// Gives a message to the handler of its type.
inline void deliver(Handle& handle, NodeId from, const Message& message, Orders& out) {
  std::visit([&](const auto& chosen) { handle.receive(from, chosen, out); }, message);
}

}  // namespace conch::dho
