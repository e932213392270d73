// Preempt-aggregation without one correction to [Bertier 2004]: each policy decides as printed.
#pragma once

#include "mutex/preempt_aggregation.hpp"

namespace conch::aggregation {

/// Specimens go on where a root has no token, so that the fault shows in what follows.
class Specimen : public QueuePolicy {
 public:
  void expect_token(bool) const override {}
};

/// An idle holder that gives the token away points nowhere.
class WithoutIdleOwner : public Specimen {
 public:
  Owner after_giving_away(const Owner& owner, NodeId) const override { return owner; }
};

/// The root points at a remote request that it queues, and at the last of the queue when it leaves.
class WithoutLocalOwner : public Specimen {
 public:
  Owner after_queueing(const Owner&, NodeId origin, bool) const override { return origin; }
  NodeId after_leaving(const Owner&, NodeId next, const Queue& queue) const override {
    return queue.empty() ? next : queue.back();
  }
};

/// The root does not point at a local request that it queues.
class WithoutQueuedOwner : public Specimen {
 public:
  Owner after_queueing(const Owner& owner, NodeId, bool) const override { return owner; }
};

/// A queue that comes is not kept.
class WithoutStoredQueue : public Specimen {
 public:
  const Queue& kept(const Queue&) const override {
    static const Queue nobody;
    return nobody;
  }
};

/// A queue that comes too late is kept by a node that does not wait.
class WithoutFollowing : public Specimen {
 public:
  bool keeps_queue(bool) const override { return true; }
};

/// Counts of one visit are kept for the next.
class WithoutReset : public Specimen {
 public:
  Preemptions counted(Preemptions& nb) const override { return nb; }
};

/// An owner within the cluster is replaced when the token leaves it.
class WithoutSetOwner : public Specimen {
 public:
  NodeId after_leaving(const Owner&, NodeId next, const Queue&) const override { return next; }
};

/// An older count replaces a newer one.
class WithoutLargerCount : public Specimen {
 public:
  void learn(Preemptions& nb, const Preemptions& told) const override { nb = told; }
};

/// Empty queues are sent.
class WithoutFullQueue : public Specimen {
 public:
  bool sends_on(const Queue&, bool next_is_local) const override { return next_is_local; }
};

/// The queue waits for the token behind a local next.
class WithoutSentQueue : public Specimen {
 public:
  bool sends_on(const Queue&, bool) const override { return false; }
};

}  // namespace conch::aggregation
