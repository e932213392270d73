// The bytes of a resource as Python sees them: a buffer that numpy views without a copy, and that
// cannot reach the resource after its release.
//
// The block maps the library's memory a second time, at an address of its own. A numpy array made
// from the block uses that address, and may outlive the release. `detach` then replaces the pages
// at that address with a private copy, so that later use of the array neither crashes nor changes
// the next holder's data.
#pragma once

#include <cstddef>
#include <span>

namespace conch::python {

class Block {
 public:
  /// Throws Error if the system cannot map the memory.
  Block(std::span<std::byte> bytes, bool is_readonly);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool is_readonly() const { return is_readonly_; }

  /// The number of buffers that Python has of it. Guarded by the GIL.
  std::size_t exports = 0;

  /// Cuts the block off from the resource. Copies the bytes only if Python still has buffers of
  /// them; throws std::bad_alloc if there is no memory for that copy.
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
