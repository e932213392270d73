// Memory for the data of a resource, a memfd that processes of one machine share. Its first page
// says which version the memory has, so every process that maps it sees without a message whether
// it has the data, and whether a process writes them or died while writing.
//
//   version   the fence with which the contents' writer held the lock; 0 if nothing is whole
//   size      the number of bytes
//   writer    the fence with which the current writer holds the lock; 0 if there is none
//
// Two rules hold. A lock holder that finds the mark of another writer never touches the buffer
// again: that writer may be dead, but it may also be suspended, and go on. And memory that more
// than one process has is changed only by the lock's holder, and never refilled with another
// version: one of them may have its newest data there.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "net/descriptor.hpp"
#include "node/block.hpp"

namespace conch::peer {

class Buffer final : public node::Block {
 public:
  /// More than any machine has; a larger length is an error.
  static constexpr std::uint64_t bytes_max = std::uint64_t{1} << 40;

  /// Makes an empty buffer with this capacity. Throws std::bad_alloc.
  explicit Buffer(std::uint64_t capacity);
  /// Maps a buffer that another process made. Throws Error if the descriptor is no such buffer.
  explicit Buffer(net::Descriptor descriptor);
  ~Buffer() override;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// A descriptor to pass to another process of this machine. From then on the buffer is not
  /// private.
  int share() {
    is_private_ = false;
    return descriptor_.number();
  }
  bool is_private() const override { return is_private_; }
  std::uint64_t identity() const override { return identity_; }
  std::uint64_t version() const override {
    return header_->version.load(std::memory_order_acquire);
  }
  std::uint64_t size() const override { return header_->size.load(std::memory_order_acquire); }
  bool is_written() const override { return header_->writer.load(std::memory_order_acquire) != 0; }

  void clear() override { header_->version.store(0, std::memory_order_release); }
  bool begin_writing(std::uint64_t mark) override {
    std::uint64_t nobody = 0;
    return header_->writer.compare_exchange_strong(nobody, mark);
  }
  void finish(std::uint64_t version, std::uint64_t size) override;
  void reserve(std::uint64_t capacity) override;
  std::string text(std::uint64_t size) override;
  void fill(std::string_view bytes, std::uint64_t at) override;
  void copy(node::Block& from, std::uint64_t size) override;
  void zero(std::uint64_t begin, std::uint64_t end) override;

  /// The first `size` bytes, which must not exceed the capacity. Maps them on first use. The
  /// address stays the same until the capacity has doubled, and earlier mappings stay valid. Any
  /// thread may call. Throws std::bad_alloc.
  std::span<std::byte> writable(std::uint64_t size);
  std::span<const std::byte> readable(std::uint64_t size);

 private:
  struct Header {
    std::uint64_t magic;
    std::atomic<std::uint64_t> version;
    std::atomic<std::uint64_t> size;
    std::atomic<std::uint64_t> writer;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "it is shared by processes");
  struct Window {
    std::byte* address = nullptr;
    std::uint64_t size = 0;
  };

  static constexpr std::uint64_t magic = 0x31617461'64686363;  // "cchdata1"
  static constexpr std::uint64_t page = 4096;

  void map_header();
  struct stat status() const;
  std::uint64_t file_size() const;
  std::byte* map(std::vector<Window>& windows, std::uint64_t size, int protection);
  static void unmap(const std::vector<Window>& windows);

  net::Descriptor descriptor_;
  std::atomic<bool> is_private_;
  std::uint64_t identity_ = 0;
  Header* header_ = nullptr;
  std::mutex windows_mutex_;
  std::vector<Window> writable_;
  std::vector<Window> readable_;
};

}  // namespace conch::peer
