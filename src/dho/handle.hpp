// The life of a DHO handle. A handle is the resource manager between an application, its lock
// manager, and the data mover: whoever brings the data that the lock protects.
//
// Source: [Hernane 2015, section 6], with its table 1 and listing 1 completed.
//
// A handle is a value. It is told what happened, and writes what must be done into Orders. Its lock
// manager is any algorithm of the contract, or a peer. The world carries out the orders as soon as
// the call is over, and tells the handle at once what the lock manager says, so an `entered` and a
// cancel never cross. node/data_store.hpp decides how data come, and who keeps them.
//
// The table says what a call does in each state. A status alone changes nothing; if no status is
// given, it is ok. "pass" passes the lock on.
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
//   - fetch behaves as blocked while the application waits, but a lock that is given up is passed
//     on, not cancelled. It behaves as grant while the application does not wait: the data are
//     prefetched, or a timed acquire gave up.
//   - lost returns `peer lost`; but create joins anew, and destroy makes the handle invalid.
//   - A handle that is joining or leaving is also invalid. A destroy while it joins makes the
//     create fail (`cancelled`). A create while it leaves waits until it has left and joined again;
//     a second create is ignored.
//   - create by a name other than the handle's is `busy`, unless the state is invalid or lost.
//   - "valid" is unlock whenever only this peer has the newest data. Both behave alike: unlock
//     never keeps an application from anything.
//   - An order ends a call that waits: created, acquired, or failed with the reason.
//   - release and cancel give up a request that was not acquired. In the paper they are "ignored",
//     and the lock stays in grant for ever (listing 1).
//   - A second request, in req or grant, loses the place of the first in the queue.
//   - A fault of the data fails one acquire; the next one goes on with what there is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/expect.hpp"
#include "core/outbox.hpp"
#include "dho/orders.hpp"
#include "dho/status.hpp"

namespace conch::dho {

struct HandleOptions {
  /// Fetch the data at the grant, not only when the application acquires.
  bool prefetch = false;
  CONCH_FIELDS(HandleOptions, prefetch)
};

class Handle {
 public:
  explicit Handle(const HandleOptions& options = {}) : options_(options) {}

  // Calls of the application.

  CallStatus create(std::string_view name, Orders& out);
  CallStatus request(Mode mode, Orders& out);
  CallStatus acquire(Orders& out);
  /// Waits at most this long; not at all if `patience` is zero or less.
  CallStatus acquire(Duration patience, Orders& out);
  CallStatus release(Orders& out);
  CallStatus cancel(Orders& out);
  CallStatus destroy(Orders& out);
  /// Sets where the data end.
  CallStatus resize(std::uint64_t size);
  /// Makes another handle for a part of this one's window. The new handle is creating: `out` has
  /// its Join. Empty if this one is not valid, or the part is empty.
  std::optional<Handle> duplicate(std::uint64_t offset, std::uint64_t length, Orders& out) const;

  // Events from the lock manager.

  void joined(Orders& out);
  void entered(const Baton& baton, Orders& out);
  void withdrawn(Orders& out);
  void left(Orders& out);
  /// We were expelled from the group: our lease ran out, or a recovery went on without us.
  void lost(Orders& out);

  // Events from the data mover.

  /// The transfer has ended: the data are here, or torn, lost or too large.
  void brought(CallStatus status, Orders& out);
  /// The data are now elsewhere, and may have changed. Ignored once the application has locked
  /// them.
  void moved(const DataRef& data);
  /// Something is wrong with the data that the lock brings. Called before `entered`, or while the
  /// application has not acquired.
  void warn(CallStatus fault) { fault_ = fault; }
  /// Tells whether only this peer has the newest data.
  void keep(bool is_only_here);

  void deadline(Orders& out);

  // Queries.

  const std::string& name() const { return name_; }
  State state() const { return state_; }
  /// The peer's state of table 1.
  PeerState peer() const;
  /// No answer is outstanding: the world may drop the value of an invalid handle.
  bool gone() const { return bond_ == Bond::outside; }
  /// The bytes that the handle is for: everything, or a part if it is a duplicate.
  const Range& window() const { return window_; }
  /// The fence of this entry; set in grant, fetch and locked.
  std::optional<Fence> fence() const;
  /// Where the data end; only meaningful in locked.
  std::uint64_t size() const { return size_; }
  bool is_bringing() const { return data_ == Data::coming; }

 protected:  // a specimen changes one rule
  /// Our membership.
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
  /// The state of our request at the lock manager.
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

  CallStatus create_anew(std::string_view name, Orders& out);
  CallStatus destroy_unborn(Orders& out);
  bool is_creating() const;
  void join(std::string_view name, Orders& out);
  CallStatus take(Orders& out);
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

  HandleOptions options_;
  Range window_;
  std::string name_;

  State state_ = State::invalid;
  /// Whether the application waits in `acquire`, and whether with a deadline.
  bool acquiring_ = false;
  bool armed_ = false;
  /// The mode that the application requested and has not given up.
  std::optional<Mode> wish_;

  Bond bond_ = Bond::outside;
  /// True from destroy to `left`; and the name of a create that came meanwhile.
  bool departing_ = false;
  std::optional<std::string> back_as_;

  Lock lock_ = Lock::idle;
  /// The mode that the lock manager was asked for, and whether the application has given that up.
  Mode asked_ = Mode::write;
  bool abandoned_ = false;
  Fence fence_;
  Data data_ = Data::here;
  /// Where the data end, as the application sees it.
  std::uint64_t size_ = 0;
  /// A fault of the data that the application has not been told.
  CallStatus fault_ = CallStatus::ok;
  bool keeps_ = false;

 public:
  CONCH_FIELDS(Handle, options_, window_, name_, state_, acquiring_, armed_, wish_, bond_,
               departing_, back_as_, lock_, asked_, abandoned_, fence_, data_, size_, fault_,
               keeps_)
};

}  // namespace conch::dho
