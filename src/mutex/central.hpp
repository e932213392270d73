// The central server: one of the nodes, the home, keeps the lock and a FIFO queue.
//
// Source: the notes (seed 001), figure 15.2, with the answer to exercise 15.5: given a failure
// detector, the server treats a crashed holder as if it had released and forgets a crashed waiter;
// a release that comes later is known by its fence and ignored. The server must not crash.
//
// Assumes reliable channels; they need not be FIFO. The server's own requests cost no message.
//
//   REQUEST(number)            a client asks; number counts its requests
//   GRANT(number, baton)       it may enter
//   RELEASE(baton)             it has left, and these are the data now
//   CANCEL(number)             it has changed its mind
//   CANCELLED(number, granted) it is out of the queue; or the grant is on its way, to be given back
#pragma once

#include <deque>
#include <optional>

#include "core/contract.hpp"
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
  using Message = std::variant<Request, Grant, Release, Cancel, Cancelled>;
  using Out = Outbox<Message>;

  static constexpr About about{
      .name = "central",
      .family = "server",
      .source = "notes fig. 15.2, exercise 15.5",
      .messages = "2 + 1",
      .client_delay = "2",
      .sync_delay = "2",
  };

  Central(NodeId self, const Assignment& start);

  void request(Out& out);
  void release(const DataRef& data, Out& out);
  void cancel(Out& out);
  void suspect(NodeId node, Out& out);

  void receive(NodeId from, const Request& m, Out& out);
  void receive(NodeId from, const Grant& m, Out& out);
  void receive(NodeId from, const Release& m, Out& out);
  void receive(NodeId from, const Cancel& m, Out& out);
  void receive(NodeId from, const Cancelled& m, Out& out);

 private:
  struct Claim {
    NodeId client;
    std::uint64_t number = 0;
    CONCH_FIELDS(Claim, client, number)
    friend auto operator<=>(const Claim&, const Claim&) = default;
  };

  template <class M>
  void tell(NodeId to, const M& m, Out& out);
  void grant_next(Out& out);
  void give_back(Out& out);

  NodeId self_;
  NodeId server_;

  // As a client.
  State state_ = State::released;
  std::uint64_t number_ = 0;
  /// Ours while inside; while cancelling, a grant that came too late.
  std::optional<Baton> baton_;
  /// The server has answered our cancel with "granted", and the grant is not here yet.
  bool grant_to_come_ = false;

  // As the server.
  std::optional<Claim> holder_;
  std::deque<Claim> queue_;
  /// Cancels that overtook their requests.
  FlatSet<Claim> cancelled_;
  /// Clients that have crashed: a request of theirs that is still on its way is nobody's.
  FlatSet<NodeId> suspected_;
  /// The fence of the newest grant, and the data of the newest release.
  Baton newest_;

 public:
  CONCH_FIELDS(Central, self_, server_, state_, number_, baton_, grant_to_come_, holder_, queue_,
               cancelled_, suspected_, newest_)
};

}  // namespace conch
