// The messages of ELMP's lock managers. elmp.hpp and elmp_line.hpp say what they mean.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/contract.hpp"
#include "core/extent.hpp"

namespace conch::elmp {

// The tree.

/// A change of the structure, made with the path to the root locked.
enum class Task : std::uint8_t { request, join, leave };
constexpr std::string_view word(Task task) {
  switch (task) {
    case Task::request: return "request";
    case Task::join: return "join";
    case Task::leave: return "leave";
  }
  return "?";
}

struct OperationId {
  NodeId origin;
  std::uint64_t number = 0;
  CONCH_FIELDS(OperationId, origin, number)
};

struct Operation {
  OperationId id;
  Task task = Task::request;
  /// Time of its beginning: a busy node serves the oldest first.
  Stamp stamp;
  std::optional<NodeId> newcomer;
  CONCH_FIELDS(Operation, id, task, stamp, newcomer)
};

/// A child as its parent knows it. The epoch counts the child's parents, so that a message to an
/// earlier parent is recognized.
struct Child {
  NodeId node;
  std::uint64_t epoch = 0;
  /// Number of nodes in its subtree, including itself.
  std::uint64_t weight = 0;
  CONCH_FIELDS(Child, node, epoch, weight)
};

/// An operation that waits at a node, and the child that brought it. For the node's own operations
/// that is the node itself.
struct Waiting {
  Operation operation;
  NodeId child;
  CONCH_FIELDS(Waiting, operation, child)
};

/// State that moves with the position of the root.
struct Ledger {
  Fence fence;
  std::uint64_t place = 1;
  /// Number of departures since the whole tree was rebuilt.
  std::uint64_t departures = 0;
  CONCH_FIELDS(Ledger, fence, place, departures)
};

/// In lazy mode: how the subtrees on a path have changed, to update their weights.
struct Growth {
  /// The child whose subtree has changed, and by how many nodes.
  std::optional<NodeId> child;
  std::int64_t nodes = 0;
  /// Depth of the newcomer below this node; 0 if there is none.
  std::uint64_t depth = 0;
  CONCH_FIELDS(Growth, child, nodes, depth)
};

/// A node that a rebuild places anew.
struct Collected {
  NodeId node;
  std::uint64_t epoch = 0;
  CONCH_FIELDS(Collected, node, epoch)
};

// The list.

/// A place in the list and the node that hosts it. Numbers are unique, and later places have larger
/// ones.
struct Seat {
  NodeId node;
  std::uint64_t place = 0;
  CONCH_FIELDS(Seat, node, place)
};

/// How those ahead of a place may still use a byte of the data.
enum class Usage : std::uint8_t { none, read, write };
constexpr std::string_view word(Usage use) {
  switch (use) {
    case Usage::none: return "none";
    case Usage::read: return "read";
    case Usage::write: return "write";
  }
  return "?";
}

/// For a byte of the data, ahead of a place: the use still to be expected, and the version left by
/// the last writer that is done. Both move in one direction only, so reports may be merged in any
/// order: each part comes from the report that is farther along.
struct Outlook {
  Usage use = Usage::none;
  Baton newest;
  CONCH_FIELDS(Outlook, use, newest)
};

/// A place at the end of the list, for the new root.
struct Admission {
  std::uint64_t place = 0;
  Seat ahead;
  Extent<Outlook> outlook;
  CONCH_FIELDS(Admission, place, ahead, outlook)
};

// Messages. elmp.hpp explains them.

struct Lock {
  Operation operation;
  std::uint64_t epoch = 0;
  static constexpr bool may_come_late = true;
  CONCH_FIELDS(Lock, operation, epoch)
};
struct Swap {
  OperationId operation;
  std::vector<Child> children;
  Ledger ledger;
  std::uint64_t epoch = 0;
  Admission admission;
  CONCH_FIELDS(Swap, operation, children, ledger, epoch, admission)
};
struct Swapped {
  OperationId operation;
  std::vector<Child> children;
  NodeId parent;
  CONCH_FIELDS(Swapped, operation, children, parent)
};
struct Adopt {
  OperationId operation;
  std::uint64_t epoch = 0;
  CONCH_FIELDS(Adopt, operation, epoch)
};
struct Adopted {
  OperationId operation;
  std::optional<Operation> waiting;
  CONCH_FIELDS(Adopted, operation, waiting)
};
struct Free {
  OperationId operation;
  NodeId root;
  std::uint64_t epoch = 0;
  CONCH_FIELDS(Free, operation, root, epoch)
};
struct Freed {
  OperationId operation;
  CONCH_FIELDS(Freed, operation)
};
struct Done {
  OperationId operation;
  CONCH_FIELDS(Done, operation)
};
struct Unlock {
  OperationId operation;
  Growth growth;
  CONCH_FIELDS(Unlock, operation, growth)
};
struct Refuse {
  OperationId operation;
  std::uint64_t epoch = 0;
  CONCH_FIELDS(Refuse, operation, epoch)
};

struct Knock {
  static constexpr bool may_come_late = true;
  CONCH_FIELDS(Knock)
};
struct Decline {
  static constexpr bool may_come_late = true;
  CONCH_FIELDS(Decline)
};
struct Walk {
  Operation operation;
  /// In lazy mode, distance from the origin.
  std::uint64_t depth = 0;
  /// The last place that had been given when the operation reached the root.
  std::uint64_t place = 0;
  CONCH_FIELDS(Walk, operation, depth, place)
};
struct Welcome {
  OperationId operation;
  std::uint64_t epoch = 0;
  std::uint64_t depth = 0;
  std::uint64_t place = 0;
  CONCH_FIELDS(Welcome, operation, epoch, depth, place)
};
struct Arrived {
  OperationId operation;
  std::uint64_t depth = 0;
  CONCH_FIELDS(Arrived, operation, depth)
};

struct Pick {
  Operation operation;
  CONCH_FIELDS(Pick, operation)
};
struct Recall {
  OperationId operation;
  CONCH_FIELDS(Recall, operation)
};
struct Recalled {
  OperationId operation;
  CONCH_FIELDS(Recalled, operation)
};
struct Detach {
  CONCH_FIELDS(Detach)
};
struct Detached {
  CONCH_FIELDS(Detached)
};
struct Take {
  CONCH_FIELDS(Take)
};
struct Position {
  std::vector<Child> children;
  std::optional<NodeId> parent;
  std::optional<Ledger> ledger;
  std::optional<Admission> admission;
  CONCH_FIELDS(Position, children, parent, ledger, admission)
};
struct Replace {
  NodeId leaver;
  std::uint64_t epoch = 0;
  CONCH_FIELDS(Replace, leaver, epoch)
};
struct Replaced {
  CONCH_FIELDS(Replaced)
};
struct Taken {
  CONCH_FIELDS(Taken)
};

struct Collect {
  Operation operation;
  CONCH_FIELDS(Collect, operation)
};
struct Report {
  std::vector<Collected> nodes;
  CONCH_FIELDS(Report, nodes)
};
struct Assign {
  std::uint64_t epoch = 0;
  std::vector<Collected> below;
  CONCH_FIELDS(Assign, epoch, below)
};
struct Assigned {
  CONCH_FIELDS(Assigned)
};

struct Token {
  std::uint64_t place = 0;
  Extent<Outlook> outlook;
  CONCH_FIELDS(Token, place, outlook)
};
struct Clear {
  std::uint64_t place = 0;
  Extent<Outlook> outlook;
  static constexpr bool may_come_late = true;
  CONCH_FIELDS(Clear, place, outlook)
};
struct Splice {
  std::uint64_t place = 0;
  Seat next;
  std::uint64_t link = 0;
  Extent<Outlook> outlook;
  static constexpr bool may_come_late = true;
  CONCH_FIELDS(Splice, place, next, link, outlook)
};
struct Spliced {
  std::uint64_t place = 0;
  CONCH_FIELDS(Spliced, place)
};
struct Ahead {
  std::uint64_t place = 0;
  Seat ahead;
  std::uint64_t link = 0;
  static constexpr bool may_come_late = true;
  CONCH_FIELDS(Ahead, place, ahead, link)
};

using Message = std::variant<Lock, Swap, Swapped, Adopt, Adopted, Free, Freed, Done, Unlock, Refuse,
                             Knock, Decline, Walk, Welcome, Arrived, Pick, Recall, Recalled, Detach,
                             Detached, Take, Position, Replace, Replaced, Taken, Collect, Report,
                             Assign, Assigned, Token, Clear, Splice, Spliced, Ahead>;
using Out = Outbox<Message>;

}  // namespace conch::elmp
