// Memory for the data of a resource, which processes of one machine share: a memfd. Its first page
// says which version is in it, so a process that has mapped it sees without a message whether the
// data are here; and whether somebody writes, or died while it did.
//
//   version   what is in it: the fence with which its writer held the lock; 0 if nothing is whole
//   size      how many bytes
//   writer    who changes it: the fence with which it holds the lock; 0 if nobody does
//
// Whoever holds the lock of the resource, and finds a writer's mark that is not its own, does not
// touch the buffer again: the writer may be dead, but it may as well have been stopped, and go on.
// And what more than one process has is changed by who holds the lock, but never filled with
// something else: to one of them it may be the newest there is.
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
  /// More than any machine has; a length beyond it is a mistake.
  static constexpr std::uint64_t bytes_max = std::uint64_t{1} << 40;

  /// An empty buffer with space for so many bytes. Throws std::bad_alloc.
  explicit Buffer(std::uint64_t capacity);
  /// Made by another process. Throws Error if it is no buffer.
  explicit Buffer(net::Descriptor descriptor);
  ~Buffer() override;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// For another process of this machine.
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

  /// The bytes up to here, which must not be beyond the space. Mapped when first asked for, and at
  /// the same address until there is twice the space; what was returned before stays mapped. By any
  /// thread. Throws std::bad_alloc.
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
