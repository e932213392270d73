// The bytes of a resource as Python sees them: a buffer that numpy views without copying, and that
// nobody can use to reach the resource after its release.
//
// The memory is the library's, mapped a second time at an address of the block's own. What was made
// of the block, as an array of numpy, has that address and may live on after the release. Then the
// pages behind the address are exchanged for a private copy: who uses the array afterwards neither
// crashes nor changes what the next holder works on.
#pragma once

#include <cstddef>
#include <span>

namespace conch::python {

class Block {
 public:
  /// Throws Error if the system cannot map it.
  Block(std::span<std::byte> bytes, bool is_readonly);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool is_readonly() const { return is_readonly_; }

  /// How many buffers Python has of it; counted under the interpreter's lock.
  std::size_t exports = 0;

  /// Parts with the resource. Throws std::bad_alloc if there is no memory for a copy, which is made
  /// only if somebody may still look at it.
  void detach();

 private:
  void unmap();

  std::byte* pages_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool is_readonly_ = false;
};

}  // namespace conch::python
