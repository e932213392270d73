#include "peer/buffer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <conch/error.hpp>
#include <cstring>
#include <new>

namespace conch::peer {

namespace {

/// Nobody can shrink the file, so a process that has mapped it gets no SIGBUS from reading it.
constexpr int seals = F_SEAL_SHRINK;

}  // namespace

Buffer::Buffer(std::uint64_t capacity)
    : descriptor_(::memfd_create("conch data", MFD_CLOEXEC | MFD_ALLOW_SEALING)),
      is_private_(true) {
  if (!descriptor_) throw std::bad_alloc();
  ::fcntl(descriptor_.number(), F_ADD_SEALS, seals);
  reserve(capacity);
  map_header();
  header_->magic = magic;
}

Buffer::Buffer(net::Descriptor descriptor)
    : descriptor_(std::move(descriptor)), is_private_(false) {
  int found = ::fcntl(descriptor_.number(), F_GET_SEALS);
  bool is_sealed = found >= 0 && (found & seals) == seals;
  if (!is_sealed || file_size() < page)
    throw Error("received something other than the memory of a conch peer in place of data");
  map_header();
  if (header_->magic == magic) return;
  ::munmap(header_, page);
  throw Error("the data received are from another version of conch");
}

Buffer::~Buffer() {
  unmap(writable_);
  unmap(readable_);
  if (header_) ::munmap(header_, page);
}

void Buffer::map_header() {
  void* address =
      ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.number(), 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  header_ = static_cast<Header*>(address);
  identity_ = status().st_ino;
}

struct stat Buffer::status() const {
  struct stat status {};
  if (::fstat(descriptor_.number(), &status) != 0) throw Error("the data have no memory");
  return status;
}

std::uint64_t Buffer::file_size() const { return static_cast<std::uint64_t>(status().st_size); }

void Buffer::finish(std::uint64_t version, std::uint64_t size) {
  header_->size.store(size, std::memory_order_release);
  header_->version.store(version, std::memory_order_release);
  header_->writer.store(0, std::memory_order_release);
}

void Buffer::reserve(std::uint64_t capacity) {
  if (capacity > bytes_max) throw std::bad_alloc();
  std::uint64_t wanted = page + (capacity + page - 1) / page * page;
  if (file_size() >= wanted) return;
  if (::ftruncate(descriptor_.number(), static_cast<off_t>(wanted)) != 0) throw std::bad_alloc();
}

std::span<std::byte> Buffer::writable(std::uint64_t size) {
  return {map(writable_, size, PROT_READ | PROT_WRITE), size};
}

std::span<const std::byte> Buffer::readable(std::uint64_t size) {
  return {map(readable_, size, PROT_READ), size};
}

std::string Buffer::text(std::uint64_t size) {
  return {reinterpret_cast<const char*>(readable(size).data()), size};
}

void Buffer::fill(std::string_view bytes, std::uint64_t at) {
  std::memcpy(writable(at + bytes.size()).data() + at, bytes.data(), bytes.size());
}

void Buffer::copy(node::Block& from, std::uint64_t size) {
  std::memcpy(writable(size).data(), static_cast<Buffer&>(from).readable(size).data(), size);
}

void Buffer::zero(std::uint64_t begin, std::uint64_t end) {
  std::memset(writable(end).data() + begin, 0, end - begin);
}

/// A window is mapped larger than the memory behind it, which may grow later. So there are few
/// windows, and none needs to be unmapped while a caller may use it.
std::byte* Buffer::map(std::vector<Window>& windows, std::uint64_t size, int protection) {
  std::lock_guard guard(windows_mutex_);
  std::uint64_t space = file_size() - page;
  if (size > space) throw std::bad_alloc();
  if (windows.empty() || windows.back().size < size) {
    std::uint64_t wide = 2 * std::bit_ceil(std::max(space, page));
    void* address = ::mmap(nullptr, wide, protection, MAP_SHARED, descriptor_.number(), page);
    if (address == MAP_FAILED) throw std::bad_alloc();
    windows.push_back({static_cast<std::byte*>(address), wide});
  }
  return windows.back().address;
}

void Buffer::unmap(const std::vector<Window>& windows) {
  for (const Window& window : windows) ::munmap(window.address, window.size);
}

}  // namespace conch::peer
