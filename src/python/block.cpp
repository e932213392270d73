#include "python/block.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <conch/error.hpp>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace conch::python {

namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

Block::Block(std::span<std::byte> bytes, bool is_readonly) : is_readonly_(is_readonly) {
  if (bytes.empty()) return;
  std::size_t offset = reinterpret_cast<std::uintptr_t>(bytes.data()) % page_size();
  std::size_t length = offset + bytes.size();
  mapped_ = (length + page_size() - 1) / page_size() * page_size();
  // On Linux, an old size of 0 makes mremap map the pages of a shared mapping a second time.
  void* pages = ::mremap(bytes.data() - offset, 0, mapped_, MREMAP_MAYMOVE);
  if (pages == MAP_FAILED)
    throw Error(ErrorCode::exhausted,
                std::string("cannot map the data for Python: ") + std::strerror(errno));
  pages_ = static_cast<std::byte*>(pages);
  data_ = pages_ + offset;
  size_ = bytes.size();
}

Block::~Block() { unmap(); }

void Block::unmap() {
  if (pages_) ::munmap(pages_, mapped_);
  pages_ = data_ = nullptr;
  size_ = mapped_ = 0;
}

void Block::detach() {
  if (exports == 0 || !pages_) return unmap();
  void* copy = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) throw std::bad_alloc();
  std::memcpy(static_cast<std::byte*>(copy) + (data_ - pages_), data_, size_);
  if (::mremap(copy, mapped_, mapped_, MREMAP_MAYMOVE | MREMAP_FIXED, pages_) != MAP_FAILED) return;
  ::munmap(copy, mapped_);
  throw std::bad_alloc();
}

}  // namespace conch::python
