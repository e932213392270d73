// What a node's data have around them: memory, and transfers between it and other peers' memory.
//
// The node begins a transfer, and the world says later how it ended. That may take any time; if the
// other peer goes, the transfer fails.
#pragma once

#include <conch/log.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/types.hpp"
#include "node/block.hpp"
#include "node/data_talk.hpp"
#include "recovery/view.hpp"

namespace conch::node {

/// A copy within this process, from `block` into `into`.
struct CopyData {
  std::shared_ptr<Block> into;
};

struct Transfer {
  std::uint64_t number = 0;
  /// What is asked. A CopyData asks nobody; the others ask the life `with`, at `address`.
  std::variant<FetchData, KeepData, PatchData, CopyData> question;
  PeerInstance with = {};
  std::string address = {};
  /// The version that the bytes belong to, and its size.
  DataRef data;
  /// Holds the bytes to send; null for a fetch.
  std::shared_ptr<Block> block = {};
  /// A thread waits for the transfer, and can carry it out itself.
  bool is_awaited = false;
};

struct TransferEnd {
  enum class Kind : std::uint8_t {
    came,       // the bytes are here
    gone,       // the other peer does not have them
    kept,       // the other peer has them from now on
    declined,   // the other peer does not want them
    failed,     // unknown; perhaps the other peer has gone
    no_memory,  // there is no memory for them here
  };
  Kind kind = Kind::failed;
  /// If the data came: where they are.
  std::shared_ptr<Block> block = {};
  /// A writer had begun to change them.
  bool is_torn = false;
  /// If true, the bytes came over a stream; otherwise the block is the other peer's own memory.
  bool is_streamed = false;
};

class DataWorld : public BlockMaker {
 public:
  virtual void log(const std::string& line, LogLevel level) = 0;

  /// Ends in `DataStore::ended`.
  virtual void begin(Transfer transfer) = 0;
  /// Nobody wants the transfer any more; it may end in any way.
  virtual void abort(std::uint64_t number) = 0;
  /// So many bytes of data were sent or received within messages.
  virtual void count_data(std::uint64_t sent, std::uint64_t received) = 0;

  // The data of groups that have ended, if the world keeps them.

  virtual void save_data(const std::string& lock, Block& block) = 0;
  virtual void forget_saved(const std::string& lock) = 0;
  virtual std::vector<std::string> saved_locks() = 0;
  /// The data in a block of this version; null if they cannot be read.
  virtual std::shared_ptr<Block> load_data(const std::string& lock, std::uint64_t version) = 0;
};

}  // namespace conch::node
