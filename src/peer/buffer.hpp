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

namespace conch::peer {

class Buffer {
 public:
  /// More than any machine has; a length beyond it is a mistake.
  static constexpr std::uint64_t bytes_max = std::uint64_t{1} << 40;

  /// Of nothing, with space for so much. Throws std::bad_alloc.
  explicit Buffer(std::uint64_t capacity);
  /// Made by another process. Throws Error if it is no buffer.
  explicit Buffer(net::Descriptor descriptor);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// For another process of this machine.
  int share() {
    is_private_ = false;
    return descriptor_.number();
  }
  /// No other process has ever had it.
  bool is_private() const { return is_private_; }
  /// Two descriptors may be of the same memory.
  bool is_same_memory(const Buffer& other) const { return identity_ == other.identity_; }
  std::uint64_t version() const { return header_->version.load(std::memory_order_acquire); }
  std::uint64_t size() const { return header_->size.load(std::memory_order_relaxed); }
  bool is_written() const { return header_->writer.load(std::memory_order_acquire) != 0; }
  /// The version is here and whole.
  bool has(std::uint64_t version) const {
    return version != 0 && this->version() == version && !is_written();
  }
  /// The version was here until somebody began to write, and has not ended.
  bool is_torn(std::uint64_t version) const {
    return version != 0 && this->version() == version && is_written();
  }

  /// Nothing is whole until `finish`.
  void clear() { header_->version.store(0, std::memory_order_release); }
  /// To change what is in it.
  void begin_writing(std::uint64_t mark) { header_->writer.store(mark, std::memory_order_release); }
  /// It is now this version.
  void finish(std::uint64_t version, std::uint64_t size);

  /// Makes space. Throws std::bad_alloc.
  void reserve(std::uint64_t capacity);
  /// The bytes up to here, which must not be beyond the space. Mapped when first asked for, and at
  /// the same address until there is twice the space; what was returned before stays mapped. By any
  /// thread. Throws std::bad_alloc.
  std::span<std::byte> writable(std::uint64_t size);
  std::span<const std::byte> readable(std::uint64_t size);
  /// A copy of these bytes, to be enclosed with a message. Throws std::bad_alloc.
  std::string text(std::uint64_t size);

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
