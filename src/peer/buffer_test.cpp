#include "peer/buffer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <conch/error.hpp>
#include <cstring>

namespace conch::peer::buffer_test {

net::Descriptor another(Buffer& buffer) {
  return net::Descriptor(::fcntl(buffer.share(), F_DUPFD_CLOEXEC, 0));
}

TEST(Buffer, WhatOneWritesTheOtherSees) {
  Buffer mine(100);
  EXPECT_FALSE(mine.has(7));
  mine.begin_writing(7);
  std::memcpy(mine.writable(5).data(), "conch", 5);
  mine.finish(7, 5);
  Buffer theirs(another(mine));
  EXPECT_TRUE(theirs.has(7));
  EXPECT_EQ(theirs.size(), 5U);
  EXPECT_EQ(std::memcmp(theirs.readable(5).data(), "conch", 5), 0);
}

TEST(Buffer, WhoDiesWhileItWritesLeavesTornData) {
  Buffer buffer(10);
  buffer.finish(3, 10);
  {
    Buffer theirs(another(buffer));
    theirs.begin_writing(4);
  }
  EXPECT_FALSE(buffer.has(3));
  EXPECT_TRUE(buffer.is_torn(3));
  EXPECT_FALSE(buffer.is_torn(4));
  EXPECT_TRUE(buffer.is_written()) << "it belongs to the writer, dead or alive";
}

TEST(Buffer, WhatIsBeingFilledHasNoVersion) {
  Buffer buffer(10);
  buffer.finish(3, 10);
  buffer.clear();
  EXPECT_FALSE(buffer.has(3));
  EXPECT_FALSE(buffer.is_torn(3));
  buffer.finish(4, 8);
  EXPECT_TRUE(buffer.has(4));
}

TEST(Buffer, IsPrivateUntilItIsShared) {
  Buffer mine(10);
  EXPECT_TRUE(mine.is_private());
  Buffer theirs(another(mine));
  EXPECT_FALSE(mine.is_private());
  EXPECT_FALSE(theirs.is_private());
}

TEST(Buffer, GrowsForAllWhoShareIt) {
  Buffer mine(10);
  Buffer theirs(another(mine));
  std::ignore = theirs.readable(10);
  mine.reserve(std::uint64_t{1} << 20);
  mine.writable(std::uint64_t{1} << 20).back() = std::byte{9};
  EXPECT_EQ(theirs.readable(std::uint64_t{1} << 20).back(), std::byte{9});
  EXPECT_THROW(std::ignore = theirs.readable(std::uint64_t{1} << 21), std::bad_alloc);
}

TEST(Buffer, KeepsItsAddress) {
  Buffer buffer(std::uint64_t{1} << 20);
  auto* first = buffer.writable(10).data();
  EXPECT_EQ(buffer.writable(std::uint64_t{1} << 20).data(), first);
}

TEST(Buffer, OtherFilesAreNoBuffers) {
  EXPECT_THROW(Buffer(net::Descriptor(::open("/dev/zero", O_RDWR | O_CLOEXEC))), Error);
  net::Descriptor unsealed(::memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.number(), 8192), 0);
  EXPECT_THROW(Buffer{std::move(unsealed)}, Error);
  net::Descriptor strange(::memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(strange.number(), 8192), 0);
  ASSERT_EQ(::fcntl(strange.number(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  EXPECT_THROW(Buffer{std::move(strange)}, Error);
}

TEST(Buffer, TooMuchIsNoMemory) { EXPECT_THROW(Buffer(Buffer::bytes_max + 1), std::bad_alloc); }

}  // namespace conch::peer::buffer_test
