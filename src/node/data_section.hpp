// What one holder of a lock does with the data that the lock protects: from the lock that tells
// where the data are, to the one that tells where they were left. The holder owns it, and a
// DataStore works on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/types.hpp"
#include "dho/status.hpp"
#include "node/block.hpp"
#include "node/data_world.hpp"

namespace conch::node {

class DataSection {
 public:
  virtual ~DataSection() = default;

  // What the holder wants.

  std::string lock;
  bool writes = true;
  /// How many other peers have to have what was written.
  unsigned copies = 0;
  /// The part that is used; the rest need not be here.
  Range window;
  /// A thread waits, and can carry out transfers itself.
  bool is_awaited = false;

  // The result.

  /// What the holder works on; null if there are no data, or nobody has them.
  std::shared_ptr<Block> block;
  /// Nobody else sees the block.
  bool is_aside = false;
  /// The block has nothing but the window.
  bool is_partial = false;
  /// Where the data were found; set by the store.
  const DataRef& data() const { return data_; }

  // Calls from the store, about work that did not end at once.

  /// A transfer is under way, and the waiting thread may carry it out.
  virtual void begun() {}
  /// The new version is complete and the old one is gone. From here on the lock must tell of this
  /// one, however it is passed on.
  virtual void replaced(const DataRef& data) = 0;
  /// The data are here; or they are torn, lost or too large.
  virtual void brought(dho::CallStatus status) = 0;
  /// The new version is where it should be, or its fate is unknown.
  virtual void left(dho::CallStatus status) = 0;
  /// The lock or the lease is gone, so nobody may rely on what is written.
  virtual bool is_in_vain() const = 0;

  bool is_busy() const { return doing_ != Doing::nothing; }
  const std::optional<std::uint64_t>& transfer() const { return transfer_; }

 private:
  friend class DataStore;
  enum class Doing : std::uint8_t { nothing, bringing, patching, spreading };

  Doing doing_ = Doing::nothing;
  /// Where the data are; that may change.
  DataRef data_;
  /// What the lock is to tell of the data when they are left; empty leaves it as it is.
  std::optional<DataRef> written_;
  /// The transfer under way: its number, the other peer, and the data that were asked for.
  std::optional<std::uint64_t> transfer_;
  PeerInstance with_;
  /// When to ask again, over a channel, whether the other peer is alive.
  Time calls_again_{};
  DataRef asked_;
  /// The version of which a holder of a part has that part.
  std::uint64_t part_of_ = 0;
  /// The target of the copy within this process that is under way.
  std::shared_ptr<Block> into_;
  /// When to try again; Time::max() waits for an event.
  Time again_ = Time::max();
  /// Members that do not have the data, or declined them in this round; and members that have a
  /// copy.
  std::set<PeerInstance> without_;
  std::set<PeerInstance> have_;
  bool is_torn_ = false;
  /// The data came from another machine.
  bool is_streamed_ = false;
};

}  // namespace conch::node
