// Memory for the data that a lock protects. Processes of one machine may share it: what is in it
// can change without a message, so it is asked each time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace conch::node {

class Block {
 public:
  virtual ~Block() = default;

  /// What is in it: the fence of its writer; 0 if nothing is whole.
  virtual std::uint64_t version() const = 0;
  virtual std::uint64_t size() const = 0;
  /// Somebody changes it, or died while it did.
  virtual bool is_written() const = 0;
  /// No other process has ever had it.
  virtual bool is_private() const = 0;
  /// Two blocks may be of the same memory.
  virtual std::uint64_t identity() const = 0;

  /// Nothing is whole until `finish`.
  virtual void clear() = 0;
  /// False if somebody writes it already, or died while it did.
  virtual bool begin_writing(std::uint64_t mark) = 0;
  /// It is now this version.
  virtual void finish(std::uint64_t version, std::uint64_t size) = 0;
  /// Makes space. Throws std::bad_alloc.
  virtual void reserve(std::uint64_t capacity) = 0;

  // Bytes, for which there is space. Throw std::bad_alloc.

  /// A copy of the first ones.
  virtual std::string text(std::uint64_t size) = 0;
  virtual void fill(std::string_view bytes, std::uint64_t at) = 0;
  virtual void copy(Block& from, std::uint64_t size) = 0;
  virtual void zero(std::uint64_t begin, std::uint64_t end) = 0;

  /// The version is here and whole; and so is what was read of it before the call. Whoever writes
  /// marks first and changes the version last, so the mark is looked at before the version.
  bool has(std::uint64_t sought) const {
    return sought != 0 && !is_written() && version() == sought;
  }
  /// The version was here until somebody began to write, and has not ended.
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
