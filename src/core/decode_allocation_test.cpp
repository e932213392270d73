// Decoding the messages of a handover does not allocate. This has a file of its own, because its
// counting operator new serves the whole program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "core/encode.hpp"

namespace {
std::size_t allocations = 0;
}  // namespace

// Not inlined: otherwise the compiler warns about free() on memory from operator new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace conch {
namespace {

struct Handover {
  std::string lock;
  Epoch epoch;
  std::optional<std::variant<NodeId, Baton>> message;
  CONCH_FIELDS(Handover, lock, epoch, message)
};

TEST(Decode, AllocatesNothingForNumbersAndShortTexts) {
  Handover sent{"payments", Epoch{7}, Baton{Fence(Epoch{7}, 300), DataRef{2, 100, NodeId{9}}}};
  std::string bytes;
  encode(bytes, sent);
  Handover received;
  std::size_t before = allocations;
  Decoder decoder(bytes);
  bool read = decoder.decode(received) && decoder.finish();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(read);
  EXPECT_EQ(received, sent);
}

TEST(Encode, AllocatesNothingWhereThereIsRoom) {
  std::string bytes(100, ' ');
  bytes.clear();
  std::size_t before = allocations;
  encode(bytes, Baton{Fence(Epoch{7}, 300), DataRef{2, 100, NodeId{9}}});
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace conch
