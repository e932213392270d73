// Memory for the data that a lock protects. Processes of one machine may share it, so its state can
// change without a message and is read anew each time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace conch::node {

class Block {
 public:
  virtual ~Block() = default;

  /// The version in it, which is the fence of its writer; 0 if none is whole.
  virtual std::uint64_t version() const = 0;
  virtual std::uint64_t size() const = 0;
  /// A writer changes it, or died while doing so.
  virtual bool is_written() const = 0;
  /// No other process has ever had this memory.
  virtual bool is_private() const = 0;
  /// The same for blocks that share their memory.
  virtual std::uint64_t identity() const = 0;

  /// The block has no whole version until `finish`.
  virtual void clear() = 0;
  /// False if a writer is at work already, or died while it was.
  virtual bool begin_writing(std::uint64_t mark) = 0;
  /// The block has this version now.
  virtual void finish(std::uint64_t version, std::uint64_t size) = 0;
  /// Makes space. Throws std::bad_alloc.
  virtual void reserve(std::uint64_t capacity) = 0;

  // Access to the bytes, for which there must be space. These throw std::bad_alloc.

  /// A copy of the first `size` bytes.
  virtual std::string text(std::uint64_t size) = 0;
  virtual void fill(std::string_view bytes, std::uint64_t at) = 0;
  virtual void copy(Block& from, std::uint64_t size) = 0;
  virtual void zero(std::uint64_t begin, std::uint64_t end) = 0;

  /// Whether the version is here and whole; if so, all that was read of it before this call is
  /// valid. A writer sets its mark first and the version last, so the mark has to be read before
  /// the version.
  bool has(std::uint64_t sought) const {
    return sought != 0 && !is_written() && version() == sought;
  }
  /// The version was here until a writer began, and that one has not finished.
  bool is_torn(std::uint64_t sought) const {
    return sought != 0 && version() == sought && is_written();
  }
  bool is_same_memory(const Block& other) const { return identity() == other.identity(); }
};

class BlockMaker {
 public:
  virtual ~BlockMaker() = default;
  /// An empty block with space for so many bytes. Throws std::bad_alloc.
  virtual std::shared_ptr<Block> make_block(std::uint64_t capacity) = 0;
};

}  // namespace conch::node
