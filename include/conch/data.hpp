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
// The names and the life cycle are those of Data Handover; docs/data.md has the table of calls by
// state. include/dho.h is the same interface in C. Any number of threads may use one object: one
// thread at a time waits in `acquire`, and another may cancel it. A handle that was moved from
// throws; so does a request on a handle whose peer has left.
//
// Between processes of one machine the memory itself is handed over and nothing is copied. Between
// machines up to 16 KiB travel with the lock; larger data are streamed over a connection of their
// own.
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

/// The state of a handle.
enum class HandleState : std::uint8_t {
  invalid,  // not created, or destroyed
  valid,    // no request, and nothing held
  req,      // the lock was requested
  grant,    // the lock is here; no thread has acquired it yet
  blocked,  // a thread waits in `acquire`
  fetch,    // the lock is here, the data are on their way
  locked,   // a thread holds the lock and has the data
  unlock,   // a thread has released; the data are being copied to other peers
  lost,     // the peer was put out of the group and holds nothing any more
};

/// The result of a call.
enum class Outcome : std::uint8_t {
  ok,
  ignored,        // there was nothing to do; nothing has changed
  invalid,        // no valid handle, or a bad argument
  busy,           // the handle is in use: another thread waits, or the lock is held
  not_requested,  // acquire without a request
  not_held,       // only the holder of an exclusive lock may do this
  timed_out,      // acquire took too long; the request stays in the queue
  cancelled,      // another thread cancelled what this call waited for
  peer_lost,      // this peer was put out of the group, or the newest released data died with
                  // another peer: acquire again to go on with what is left
  torn,           // the last holder died while it wrote: acquire again to get the bytes as they are
  no_memory,      // the system is out of memory; after an acquire the handle stays in grant
  not_free,       // try_acquire: another holder has the lock; the handle is as it was
};

struct DataOptions {
  /// How many other peers have the new data before `release` returns (all others, if they are
  /// fewer). With copies, the holder works on a private copy, and its death changes nothing.
  /// Without, it works in place, and its death tears the data.
  unsigned copies = 0;
  /// Fetches the data as soon as the lock is here, not only when a thread acquires.
  bool prefetch = false;
  /// How long `acquire` waits; zero means for ever.
  std::chrono::milliseconds timeout{0};
};

/// How many bytes of a transfer are done.
struct DataProgress {
  std::uint64_t moved = 0;
  std::uint64_t total = 0;
};

class CONCH_API Data {
 public:
  /// Makes an invalid handle; `create` makes it valid.
  explicit Data(Peer& peer, const DataOptions& options = {});
  /// Makes a valid handle. Throws Error if the name is bad.
  Data(Peer& peer, const std::string& name, const DataOptions& options = {});
  /// Calls `destroy`.
  ~Data();
  Data(Data&&) noexcept;
  Data& operator=(Data&&) noexcept;

  /// Makes the handle valid, and gives up a request that no thread waits for. Throws Error if the
  /// name is bad.
  Outcome create(const std::string& name);
  /// Takes a place in the lock's queue and returns. Access::shared is exclusive if the group's
  /// algorithm does not support sharing.
  Outcome request(Access access = Access::exclusive);
  HandleState state() const;
  /// Waits until the lock and the data are here.
  Outcome acquire();
  template <class Clock, class Duration>
  Outcome acquire_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return acquire_by(Deadline::at(deadline));
  }
  /// Acquires the lock and the data if nobody else has the lock. Requests the lock if that was not
  /// done, and waits for the answer no longer than PeerOptions::try_patience. Once it has the lock,
  /// it waits for the data as long as they take.
  Outcome try_acquire(Access access = Access::exclusive);
  /// Hands lock and data to the next waiter; gives up a request that was not acquired.
  Outcome release();
  /// Gives up a request that was not acquired; what is held stays held.
  Outcome cancel();
  /// Gives up whatever the handle has. The handle is invalid afterwards.
  Outcome destroy();

  // These calls are for the thread that holds the lock.

  /// The handle's part of the data, valid from acquire to release; empty unless locked. The memory
  /// is read-only if access is shared. It usually has the same address each time.
  Span<std::byte> bytes();
  /// Moves the end of the data; new bytes are zero. Only a handle that covers everything behind the
  /// new end may do this. `bytes` may return another address afterwards.
  Outcome resize(std::size_t size);
  /// The fence of this entry, greater than that of every earlier holder; zero unless the lock is
  /// here.
  std::uint64_t fence() const;
  /// Progress of the transfer under way, or of the last one.
  DataProgress progress() const;

  /// Makes a separate handle for a part of this one's data. Its acquire moves only those bytes. The
  /// handle is invalid if this one is, or if the part is empty.
  Data part(std::size_t offset, std::size_t length) const;

 private:
  CONCH_PRIVATE explicit Data(std::shared_ptr<peer::DataHandle> handle);
  Outcome acquire_by(const Deadline& deadline);
  CONCH_PRIVATE peer::DataHandle& handle() const;
  std::shared_ptr<peer::DataHandle> handle_;
};

/// A description for people, such as "the request was cancelled".
CONCH_API const char* describe(Outcome outcome);

}  // namespace conch
