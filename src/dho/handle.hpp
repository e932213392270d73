// The life of a DHO handle: the resource manager between an application, its lock manager, and
// whoever moves the data that the lock protects.
//
// Source: Hernane, Gustedt, Benyettou 2015, section 6, with its table 1 and listing 1 made whole.
//
// A handle is a value. It is told what happened and writes what must be done into Orders. Its lock
// manager is any algorithm of the contract, or a peer; the world carries out the orders as soon as
// the call is over, and tells the handle at once what the lock manager says: an `entered` and a
// cancel do not cross. How data come, and who keeps them, is decided in node/data_store.hpp.
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
//     keeps an application from anything.
//   - A call that waits is ended by an order: created, acquired, or failed with the reason.
//   - release and cancel give up a request that was not acquired. Printed, they are "ignored", and
//     the lock stays in grant for ever (listing 1).
//   - A request in req or grant loses the old one's place in the queue.
//   - What is wrong with the data fails one acquire, and the next goes on with what there is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/expect.hpp"
#include "core/outbox.hpp"
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
  explicit Handle(const Options& options = {}) : options_(options) {}

  // The application calls.

  Status create(std::string_view name, Orders& out);
  Status request(Mode mode, Orders& out);
  Status acquire(Orders& out);
  /// Waits no longer than this; if it is nothing, not at all.
  Status acquire(Duration patience, Orders& out);
  Status release(Orders& out);
  Status cancel(Orders& out);
  Status destroy(Orders& out);
  /// Where the data shall end.
  Status resize(std::uint64_t size);
  /// A handle of its own for a part of what this one is for; its first orders are those of a create
  /// that waits. Nothing, if this one is not valid or the part empty.
  std::optional<Handle> duplicate(std::uint64_t offset, std::uint64_t length, Orders& out) const;

  // The lock manager says.

  void joined(Orders& out);
  void entered(const Baton& baton, Orders& out);
  void withdrawn(Orders& out);
  void left(Orders& out);
  /// We were thrown out of the group: by a lease that ran out, or by a recovery without us.
  void lost(Orders& out);

  // Whoever moves the data says.

  /// They are here; or they are torn, lost, or too large.
  void brought(Status status, Orders& out);
  /// They are elsewhere now, and others perhaps; who has locked them does not mind.
  void moved(const DataRef& data);
  /// Before `entered`, or while the application has not acquired: something is wrong with the data
  /// that the lock brings.
  void warn(Status fault) { fault_ = fault; }
  /// Whether the newest are nowhere but here.
  void keep(bool is_only_here);

  void deadline(Orders& out);

  // To look at.

  const std::string& name() const { return name_; }
  State state() const { return state_; }
  /// Of table 1.
  Peer peer() const;
  /// Nobody is awaited: the world may drop the value of an invalid handle.
  bool gone() const { return bond_ == Bond::outside; }
  /// What the handle is for: everything, or a part if it is a duplicate.
  const Range& window() const { return window_; }
  /// In grant, fetch and locked: the fence of this entry.
  std::optional<Fence> fence() const;
  /// In locked: where the data end.
  std::uint64_t size() const { return size_; }
  bool is_bringing() const { return data_ == Data::coming; }

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
  /// Where the data are that the held lock protects.
  enum class Data : std::uint8_t { here, elsewhere, coming };
  friend std::string_view word(Data data) {
    switch (data) {
      case Data::here: return "here";
      case Data::elsewhere: return "elsewhere";
      case Data::coming: return "coming";
    }
    return "?";
  }

  Status create_anew(std::string_view name, Orders& out);
  Status destroy_unborn(Orders& out);
  bool is_creating() const;
  void join(std::string_view name, Orders& out);
  Status take(Orders& out);
  void finish_acquire(Orders& out);
  void find(const DataRef& data);
  void bring(Orders& out);
  void stop_waiting();
  void give_up(Orders& out);
  void drop();
  void end_acquire(const Order& end, Orders& out);
  void rest() { state_ = keeps_ ? State::unlock : State::valid; }
  void proceed(Orders& out);
  void let_go(Orders& out);
  void forget_lock();
  void end_departure(Orders& out);

  Options options_;
  Range window_;
  std::string name_;

  State state_ = State::invalid;
  /// The application waits for `acquire`; and with a deadline.
  bool acquiring_ = false;
  bool armed_ = false;
  /// What the application asked for and has not given up.
  std::optional<Mode> wish_;

  Bond bond_ = Bond::outside;
  /// Between destroy and `left`; and the name by which to come back.
  bool departing_ = false;
  std::optional<std::string> back_as_;

  Lock lock_ = Lock::idle;
  /// What the lock manager was asked for, and whether nobody wants that any more.
  Mode asked_ = Mode::write;
  bool abandoned_ = false;
  Fence fence_;
  Data data_ = Data::here;
  /// Where the data end, as the application has it.
  std::uint64_t size_ = 0;
  /// Some data are lost or torn, and the application has not been told.
  Status fault_ = Status::ok;
  bool keeps_ = false;

 public:
  CONCH_FIELDS(Handle, options_, window_, name_, state_, acquiring_, armed_, wish_, bond_,
               departing_, back_as_, lock_, asked_, abandoned_, fence_, data_, size_, fault_,
               keeps_)
};

}  // namespace conch::dho
