// The points where preempt-aggregation departs from [Bertier 2004], which is wrong there: see
// docs/corrections.md.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/expect.hpp"
#include "mutex/hierarchy.hpp"

namespace conch {

class QueuePolicy : public Policy {
 public:
  using Owner = std::optional<NodeId>;
  using Queue = std::vector<NodeId>;

  /// Asserts the invariant of a root that is not queued: it has the token.
  virtual void expect_token(bool token) const {
    CONCH_EXPECT(token, "a root that is not queued holds the token");
  }
  /// Takes the count of a visit that is over, and starts again from none.
  virtual Preemptions counted(Preemptions& nb) const { return std::exchange(nb, {}); }
  /// An older count must not replace a newer one.
  virtual void learn(Preemptions& nb, const Preemptions& told) const { nb.merge(told); }

  // The node that `owner` points at afterwards.
  /// After an idle holder has given the token away.
  virtual Owner after_giving_away(const Owner&, NodeId origin) const { return origin; }
  /// After the root has queued a request.
  virtual Owner after_queueing(const Owner& owner, NodeId origin, bool is_local) const {
    return is_local ? origin : owner;
  }
  /// After the token has left the cluster: an owner within the cluster stays.
  virtual NodeId after_leaving(const Owner& owner, NodeId next, const Queue& queue) const {
    return owner ? *owner : queue.empty() ? next : queue.back();
  }

  // The handling of a queue that arrives.
  /// Whether the receiver keeps the queue; otherwise it sends it after the token.
  virtual bool keeps_queue(bool is_queued) const { return is_queued; }
  /// The part of the queue that the receiver keeps: all of it.
  virtual const Queue& kept(const Queue& queue) const { return queue; }
  /// Whether the queue goes on to the local root, past a next.
  virtual bool sends_on(const Queue& queue, bool next_is_local) const {
    return next_is_local && !queue.empty();
  }
};

}  // namespace conch
