// What is around the data of a node: memory, and transfers between it and another peer's.
//
// A transfer is begun, and its world says later how it has ended. It may take any time; whoever it
// is with may go, and then it fails.
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

using recovery::Life;

/// Within this process: `block` is copied into `into`.
struct CopyData {
  std::shared_ptr<Block> into;
};

struct Transfer {
  std::uint64_t number = 0;
  /// What is asked; and whom, unless it is a copy.
  std::variant<FetchData, KeepData, PatchData, CopyData> question;
  Life with = {};
  std::string address = {};
  /// Of what the bytes are, and how large that is.
  DataRef data;
  /// Where the bytes are that go; of a fetch, none.
  std::shared_ptr<Block> block = {};
  /// A thread waits for it, and can carry it out itself.
  bool is_awaited = false;
};

struct TransferEnd {
  enum class Kind : std::uint8_t {
    came,       // the bytes are here
    gone,       // who was asked does not have them
    kept,       // who was asked has them from now on
    declined,   // it does not want them
    failed,     // nobody knows; perhaps the other one has gone
    no_memory,  // there is no space for them here
  };
  Kind kind = Kind::failed;
  /// If they came: where they are.
  std::shared_ptr<Block> block = {};
  /// Somebody had begun to write them.
  bool is_torn = false;
  /// Its bytes have come; otherwise its memory has, which is the other one's as well.
  bool is_streamed = false;
};

class DataWorld : public BlockMaker {
 public:
  virtual void log(const std::string& line, LogLevel level) = 0;

  /// Ends in `DataStore::ended`.
  virtual void begin(Transfer transfer) = 0;
  /// Nobody wants it any more; it may end in whatever way.
  virtual void abort(std::uint64_t number) = 0;
  /// So many bytes of data have gone or come with messages.
  virtual void count_data(std::uint64_t sent, std::uint64_t received) = 0;

  // What is left of a group that has ended, if that is kept.

  virtual void save_data(const std::string& lock, Block& block) = 0;
  virtual void forget_saved(const std::string& lock) = 0;
  virtual std::vector<std::string> saved_locks() = 0;
  /// In a block of this version; none if it cannot be read.
  virtual std::shared_ptr<Block> load_data(const std::string& lock, std::uint64_t version) = 0;
};

}  // namespace conch::node
