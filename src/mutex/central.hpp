// The central server: one of the nodes, the home, keeps the lock and a FIFO queue.
//
// Source: [Coulouris 2011, fig. 15.2], with the answer to exercise 15.5: given a failure
// detector, the server treats a crashed holder as if it had released, and forgets a crashed waiter.
// It ignores a release that comes later. The server must not crash.
//
// Readers, and requests for disjoint ranges, may be inside together. The queue stays strict: a
// request waits if it conflicts with any earlier one, so later requests cannot overtake it.
//
// Assumes reliable channels; they need not be FIFO. The server's own requests cost no message.
//
//   REQUEST(number)            a client asks; number counts its requests
//   GRANT(number, baton)       it may enter
//   RELEASE(baton)             it has left, and these are the data now
//   CANCEL(number)             it has changed its mind
//   CANCELLED(number, granted) it is out of the queue; or the grant is on its way, to be given back
//
// and for requests that only read, or want a range:
//
//   REQUEST-SHARE(number, wish), GRANT-SHARE(number, baton, parts), RELEASE-SHARE(number, baton)
#pragma once

#include <deque>
#include <optional>

#include "core/contract.hpp"
#include "core/extent.hpp"
#include "core/flat_set.hpp"
#include "mutex/state.hpp"

namespace conch {

class Central {
 public:
  struct Request {
    std::uint64_t number = 0;
    CONCH_FIELDS(Request, number)
  };
  struct Grant {
    std::uint64_t number = 0;
    Baton baton;
    CONCH_FIELDS(Grant, number, baton)
  };
  struct Release {
    Baton baton;
    CONCH_FIELDS(Release, baton)
  };
  struct Cancel {
    std::uint64_t number = 0;
    CONCH_FIELDS(Cancel, number)
  };
  struct Cancelled {
    std::uint64_t number = 0;
    bool granted = false;
    CONCH_FIELDS(Cancelled, number, granted)
  };
  struct RequestShare {
    std::uint64_t number = 0;
    Wish wish;
    CONCH_FIELDS(RequestShare, number, wish)
  };
  /// Also sent for a request for everything, if its data come from several writers.
  struct GrantShare {
    std::uint64_t number = 0;
    Baton baton;
    std::vector<Part> parts;
    CONCH_FIELDS(GrantShare, number, baton, parts)
  };
  struct ReleaseShare {
    std::uint64_t number = 0;
    Baton baton;
    CONCH_FIELDS(ReleaseShare, number, baton)
  };
  using Message = std::variant<Request, Grant, Release, Cancel, Cancelled, RequestShare, GrantShare,
                               ReleaseShare>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "central",
      .family = "server",
      .source = "[Coulouris 2011, fig. 15.2], exercise 15.5",
      .messages = "2 + 1",
      .client_delay = "2",
      .sync_delay = "2",
  };

  Central(NodeId self, const Assignment& start);

  void request(Out& out) { request(Wish{}, out); }
  void request(const Wish& wish, Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);
  void suspect(NodeId node, Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Grant& m, Out& out);
  void receive(NodeId from, const Release& m, Out& out);
  void receive(NodeId from, const Cancel& m, Out& out);
  void receive(NodeId from, const Cancelled& m, Out& out);
  void receive(NodeId from, const RequestShare& m, Out& out);
  void receive(NodeId from, const GrantShare& m, Out& out);
  void receive(NodeId from, const ReleaseShare& m, Out& out);

  /// Only the server knows whether a client waits, so the clients assume that one does.
  bool may_be_wanted() const { return self_ != server_ || !queue_.empty(); }

 private:
  struct Claim {
    NodeId client;
    std::uint64_t number = 0;
    CONCH_FIELDS(Claim, client, number)
    friend auto operator<=>(const Claim&, const Claim&) = default;
  };
  struct Waiter {
    NodeId client;
    std::uint64_t number = 0;
    Wish wish;
    CONCH_FIELDS(Waiter, client, number, wish)
  };
  struct Holder {
    NodeId client;
    std::uint64_t number = 0;
    Wish wish;
    Fence fence;
    /// The client has cancelled; the grant will come back unused.
    bool cancelled = false;
    CONCH_FIELDS(Holder, client, number, wish, fence, cancelled)
  };
  using Holders = std::vector<Holder>;
  using Waiters = std::deque<Waiter>;

  template <class M>
  void tell(NodeId to, const M& m, Out& out);
  void granted(const Baton& baton, const std::vector<Part>& parts, Out& out);
  void give_back(Out& out);
  void queue(const Waiter& waiter, Out& out);
  void grant_all(Out& out);
  bool in_the_way(Waiters::iterator waiter) const;
  void grant(const Waiter& waiter, Out& out);
  void released(Holders::iterator holder, const Baton& baton, Out& out);

  NodeId self_;
  NodeId server_;

  // Client state.
  State state_ = State::released;
  std::uint64_t number_ = 0;
  Wish wish_;
  /// Our grant while inside; while cancelling, a grant that came too late.
  std::optional<Baton> baton_;
  /// The server has answered our cancel with "granted", and the grant has not arrived yet.
  bool grant_to_come_ = false;

  // Server state.
  Holders holders_;
  Waiters queue_;
  /// Cancels that arrived before their requests.
  FlatSet<Claim> cancelled_;
  /// Clients that have crashed. Requests of theirs that are still in flight are ignored.
  FlatSet<NodeId> suspected_;
  /// Fence of the newest writer among all grants.
  Fence fence_;
  /// The data that the last writers left, by range.
  Extent<Baton> batons_;

 public:
  CONCH_FIELDS(Central, self_, server_, state_, number_, wish_, baton_, grant_to_come_, holders_,
               queue_, cancelled_, suspected_, fence_, batons_)
};

}  // namespace conch
