// What one holder of a lock does with the data that it protects: from the lock that says where they
// are to the one that says where they were left. It belongs to whoever holds the lock; a DataStore
// works on it.
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

  // What is wanted.

  std::string lock;
  bool writes = true;
  /// So many others are to have what was written.
  unsigned copies = 0;
  /// The part that is used; what is outside of it need not be here.
  Range window;
  /// A thread waits, and can carry out transfers itself.
  bool is_awaited = false;

  // What has come of it.

  /// What the holder works on; none: there is nothing, or nobody has it.
  std::shared_ptr<Block> block;
  /// Nobody else sees the block.
  bool is_aside = false;
  /// It has nothing but the window.
  bool is_partial = false;
  /// Where the data are that were found; set by a store.
  const DataRef& data() const { return data_; }

  // What the store says, of what did not end at once.

  /// A transfer is under way, and may be carried out by the thread that waits.
  virtual void begun() {}
  /// What was written is whole, and what was there before is gone: from here on the lock tells of
  /// these data, whatever makes it go on.
  virtual void replaced(const DataRef& data) = 0;
  /// The data are here; or they are torn, lost, or too large.
  virtual void brought(dho::Status status) = 0;
  /// What was written is where it should be; or nobody knows.
  virtual void left(dho::Status status) = 0;
  /// The lock or the lease is gone: nobody may count on what is written.
  virtual bool is_in_vain() const = 0;

  bool is_busy() const { return doing_ != Doing::nothing; }
  const std::optional<std::uint64_t>& transfer() const { return transfer_; }

 private:
  friend class DataStore;
  enum class Doing : std::uint8_t { nothing, bringing, patching, spreading };

  Doing doing_ = Doing::nothing;
  /// Where the data are; that may change.
  DataRef data_;
  /// What the lock is to say of them when they are left; none: what it says.
  std::optional<DataRef> written_;
  /// The transfer that is under way: its number, with whom, and of what.
  std::optional<std::uint64_t> transfer_;
  Life with_;
  /// When to ask over a channel whether the other one is there.
  Time calls_again_{};
  DataRef asked_;
  /// Into which the data are copied, if that is what is under way.
  std::shared_ptr<Block> into_;
  /// When to try again; never: something has to happen first.
  Time again_ = Time::max();
  /// Members that do not have the data, or did not want them in this round; and those who have a
  /// copy.
  std::set<Life> without_;
  std::set<Life> have_;
  bool is_torn_ = false;
  /// They came from another machine.
  bool is_streamed_ = false;
};

}  // namespace conch::node
