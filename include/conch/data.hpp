// A named block of memory that travels with its lock, straight from the last writer to the next.
//
//   conch::Data table(peer, "table");
//   table.request();                    // asks for the lock and goes on
//   compute_something();
//   if (table.acquire() == conch::Outcome::ok) {
//     table.resize(1 << 20);            // new data have no bytes
//     change(table.bytes());
//     table.release();                  // the next holder finds what was written
//   }
//
// The names and the life cycle are those of Data Handover (docs/handle.md has the table of calls by
// state); include/dho.h is the same in C. Objects of this class may be used by any number of
// threads. One thread at a time waits in `acquire`; another may cancel it. A handle that was moved
// from throws; so does one whose peer has left, when it asks for something.
//
// Between processes of one machine the memory itself is handed over and nothing is copied. Between
// machines up to 16 KiB come with the lock; more streams over a connection of its own.
#pragma once

#include <chrono>
#include <conch/deadline.hpp>
#include <conch/export.hpp>
#include <conch/peer.hpp>
#include <conch/span.hpp>
#include <conch/ticket.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace conch {

namespace peer {
class DataHandle;
}

/// What a handle is doing.
enum class HandleState : std::uint8_t {
  invalid,  // there is no such handle: destroyed, or not created
  valid,    // wants nothing
  req,      // the lock was asked for
  grant,    // the lock is here; nobody has come for it
  blocked,  // a thread waits in `acquire`
  fetch,    // the lock is here, the data are on their way
  locked,   // a thread has lock and data
  unlock,   // a thread has released; the data are being copied to others
  lost,     // the peer was put out of the group: what was held is not held any more
};

/// What became of a call.
enum class Outcome : std::uint8_t {
  ok,
  ignored,        // there was nothing to do; nothing has changed
  invalid,        // no valid handle, or an argument that makes no sense
  busy,           // the handle is in use: another thread waits, or the lock is held
  not_requested,  // acquire without a request
  not_held,       // only who holds the lock to write may do this
  timed_out,      // acquire took too long; the request stays
  cancelled,      // another thread gave up what this call waited for
  peer_lost,      // this peer was put out of the group; or released data were lost with another:
                  // acquire again to go on with what there is
  torn,       // the last holder died while it wrote: acquire again to have the bytes as they are
  no_memory,  // the system has none; of an acquire, the lock stays in grant
  not_free,   // of try_acquire: somebody else has the lock; the handle is as it was
};

struct DataOptions {
  /// So many other peers have what was written before `release` returns, or all if they are fewer.
  /// The holder then works on a copy of its own, and its death changes nothing. Without copies it
  /// works in place, and its death tears the data.
  unsigned copies = 0;
  /// Fetch as soon as the lock is here, not when a thread comes for it.
  bool prefetch = false;
  /// How long `acquire` waits; zero: for ever.
  std::chrono::milliseconds timeout{0};
};

/// How much of a transfer is done.
struct DataProgress {
  std::uint64_t moved = 0;
  std::uint64_t total = 0;
};

class CONCH_API Data {
 public:
  /// An invalid handle, until `create`.
  explicit Data(Peer& peer, const DataOptions& options = {});
  /// A valid one. Throws Error if the name is not one.
  Data(Peer& peer, const std::string& name, const DataOptions& options = {});
  /// Destroys.
  ~Data();
  Data(Data&&) noexcept;
  Data& operator=(Data&&) noexcept;

  /// Makes the handle valid; gives up a request that nobody waits for. Throws Error if the name is
  /// not one.
  Outcome create(const std::string& name);
  /// Takes a place in the lock's queue. Shared access is exclusive where the group's algorithm lets
  /// nobody share.
  Outcome request(Access access = Access::exclusive);
  HandleState state() const;
  /// Waits until lock and data are here.
  Outcome acquire();
  template <class Clock, class Duration>
  Outcome acquire_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return acquire_by(Deadline::at(deadline));
  }
  /// Has lock and data if nobody else has the lock. Asks for it, unless that was done, and waits
  /// for the answer no longer than PeerOptions::try_patience; for data that are on their way it
  /// waits.
  Outcome try_acquire(Access access = Access::exclusive);
  /// Gives lock and data to the next; gives up a request that was not acquired.
  Outcome release();
  Outcome cancel();
  /// Gives up whatever it has; the handle is invalid from here on.
  Outcome destroy();

  // For who is inside.

  /// The handle's part of the data, from its acquire to its release; the same address each time, if
  /// nothing speaks against it. Reading only, if that was asked for. Empty unless locked.
  Span<std::byte> bytes();
  /// Only who holds all that may lie behind the new end may move it. What comes in is zero.
  /// `bytes` may be elsewhere afterwards.
  Outcome resize(std::size_t size);
  /// Larger than that of every holder before; zero unless the lock is here.
  std::uint64_t fence() const;
  /// Of the transfer that is under way, or of the last.
  DataProgress progress() const;

  /// A handle of its own for a part of this one's data. Its acquire moves only those bytes.
  /// An invalid one if this one is, or if the part is empty.
  Data part(std::size_t offset, std::size_t length) const;

 private:
  CONCH_PRIVATE explicit Data(std::shared_ptr<peer::DataHandle> handle);
  Outcome acquire_by(const Deadline& deadline);
  CONCH_PRIVATE peer::DataHandle& handle() const;
  std::shared_ptr<peer::DataHandle> handle_;
};

/// A word for a person: "peer lost".
CONCH_API const char* describe(Outcome outcome);

}  // namespace conch
