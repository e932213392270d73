#include "node/versioned_blocks.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "peer/buffer.hpp"

namespace conch::peer::versioned_blocks_test {

using node::VersionedBlocks;

struct Maker final : node::BlockMaker {
  std::shared_ptr<node::Block> make_block(std::uint64_t capacity) override {
    return std::make_shared<Buffer>(capacity);
  }
} maker;

std::string text(const std::shared_ptr<node::Block>& block) { return block->text(block->size()); }

std::shared_ptr<Buffer> version(std::uint64_t number) {
  auto buffer = std::make_shared<Buffer>(100);
  buffer->finish(number, 100);
  return buffer;
}

/// The same memory, as another process passes it.
std::shared_ptr<Buffer> again(Buffer& buffer) {
  return std::make_shared<Buffer>(net::Descriptor(::fcntl(buffer.share(), F_DUPFD_CLOEXEC, 0)));
}

TEST(VersionedBlocks, WhatWasNewestBeforeIsFilledNext) {
  VersionedBlocks stock;
  stock.install(version(1));
  stock.install(version(2));
  EXPECT_EQ(stock.version(), 2u);
  std::uint64_t first = stock.find(1)->identity();
  auto spare = stock.take_spare(100, maker);
  EXPECT_EQ(spare->identity(), first);
  EXPECT_FALSE(spare->has(1));
  EXPECT_EQ(stock.version(), 2u);
  EXPECT_NE(stock.take_spare(100, maker)->identity(), first) << "it is taken";
}

/// A holder may read it, or a transfer may copy it.
TEST(VersionedBlocks, WhatIsStillInUseIsNotFilled) {
  VersionedBlocks stock;
  auto in_use = version(1);
  stock.install(in_use);
  stock.install(version(2));
  EXPECT_NE(stock.take_spare(100, maker), in_use);
  EXPECT_TRUE(in_use->has(1));
}

/// Another process of the machine writes into what is a spare here.
TEST(VersionedBlocks, ASpareThatSomebodyElseHasWrittenIsTheNewest) {
  VersionedBlocks stock;
  stock.install(version(1));
  stock.install(version(2));
  auto elsewhere = again(static_cast<Buffer&>(*stock.find(1)));
  elsewhere->finish(3, 100);
  EXPECT_TRUE(stock.find_newest(3)->is_same_memory(*elsewhere));
  EXPECT_FALSE(stock.take_spare(100, maker)->is_same_memory(*elsewhere))
      << "the newest data are not overwritten";
}

/// A peer that was put out and does not know it may ask for an old version.
TEST(VersionedBlocks, WhatIsOldIsFoundAndStaysOld) {
  VersionedBlocks stock;
  auto second = version(2);
  stock.install(version(1));
  stock.install(second);
  EXPECT_NE(stock.find(1), nullptr);
  EXPECT_EQ(stock.version(), 2u);
  EXPECT_FALSE(stock.take_spare(100, maker)->has(1));
  EXPECT_EQ(stock.find(1), nullptr);
  EXPECT_EQ(stock.find(2), second);
}

/// Three peers of a machine share the memory. The first has the newest data in it, the second keeps
/// it as a copy, and to the third it is an older version. The third is to keep data from a peer of
/// another machine, which may die before all bytes have come.
TEST(VersionedBlocks, WhatOthersHaveIsNotFilled) {
  VersionedBlocks writer;
  VersionedBlocks keeper;
  VersionedBlocks third;
  auto shared = version(1);
  writer.install(shared);
  third.install(again(*shared));
  third.install(version(2));
  shared->begin_writing(3);
  shared->finish(3, 100);
  keeper.install(again(*shared));
  EXPECT_FALSE(third.take_spare(100, maker)->is_same_memory(*shared));
  EXPECT_EQ(writer.find(3), shared);
  EXPECT_NE(keeper.find(3), nullptr);
}

TEST(VersionedBlocks, TheSameMemoryIsNeverBothNewestAndSpare) {
  VersionedBlocks stock;
  auto first = version(1);
  stock.install(first);
  stock.install(again(*first));
  auto spare = stock.take_spare(100, maker);
  EXPECT_FALSE(spare->is_same_memory(*first));
  EXPECT_EQ(stock.version(), 1u);
  stock.put_spare(again(*first));
  EXPECT_FALSE(stock.take_spare(100, maker)->is_same_memory(*first));
}

TEST(VersionedBlocks, ASpareInSomebodysHandsIsNotTouched) {
  VersionedBlocks stock;
  stock.install(version(1));
  stock.install(version(2));
  Buffer& first = static_cast<Buffer&>(*stock.find(1));
  std::uint64_t identity = first.identity();
  first.begin_writing(7);
  EXPECT_NE(stock.take_spare(100, maker)->identity(), identity);
}

TEST(VersionedBlocks, WhatCameWithTheLockIsUnpackedByWhoWasToldOfIt) {
  DataRef told{3, 5, NodeId{7}};
  VersionedBlocks stock;
  stock.install(version(2));
  stock.enclose(3, "conch");
  EXPECT_EQ(stock.version(), 2u) << "nobody has the lock yet";
  auto buffer = stock.unpack(told, maker);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(text(buffer), "conch");
  EXPECT_EQ(stock.find(3), buffer);
  EXPECT_EQ(stock.unpack(told, maker), nullptr) << "once";
}

TEST(VersionedBlocks, WhatCameWithAnotherLockIsNot) {
  VersionedBlocks stock;
  stock.install(version(2));
  for (const DataRef& told : {DataRef{3, 4, NodeId{7}}, DataRef{4, 5, NodeId{7}}}) {
    stock.enclose(3, "conch");
    EXPECT_EQ(stock.unpack(told, maker), nullptr);
  }
  EXPECT_EQ(stock.version(), 2u);
}

TEST(VersionedBlocks, TornDataHaveNoVersion) {
  VersionedBlocks stock;
  auto only = version(1);
  stock.install(only);
  only->begin_writing(2);
  EXPECT_EQ(stock.find(1), nullptr);
  EXPECT_EQ(stock.find_torn(1), only);
  EXPECT_EQ(stock.version(), 0u);
}

}  // namespace conch::peer::versioned_blocks_test
