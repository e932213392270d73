#include "node/address_book.hpp"

#include <gtest/gtest.h>

#include "overlay/end_to_end_messages.hpp"

namespace conch::node::address_book_test {

PeerInstance life(std::uint64_t id, std::uint64_t incarnation = 1) {
  return {NodeId{id}, Incarnation{incarnation}};
}

TEST(AddressBookTest, EverybodyWhomAMessageNamesIsIntroducedOnce) {
  AddressBook book;
  for (std::uint64_t id = 1; id <= 4; ++id) book.learn({life(id), "there"});
  overlay::e2e::Enqueue message{{{Stamp{1}, NodeId{3}}, {Stamp{2}, NodeId{9}}}, {}};
  auto met = book.introductions(life(2), NodeId{1}, message);
  ASSERT_EQ(met.size(), 2u) << "itself and 3; it does not know 9";
  EXPECT_EQ(met[0].life, life(1));
  EXPECT_EQ(met[1].life, life(3));
  EXPECT_TRUE(book.introductions(life(2), NodeId{1}, message).empty());
  EXPECT_EQ(book.introductions(life(4), NodeId{1}, message).size(), 2u) << "another one";
}

TEST(AddressBookTest, ANewLifeReplacesAnOldOneAndNotTheOtherWayRound) {
  AddressBook book;
  EXPECT_TRUE(book.learn({life(1, 5), "here"}));
  EXPECT_FALSE(book.learn({life(1, 5), "here"}));
  EXPECT_FALSE(book.learn({life(1, 4), "there"}));
  EXPECT_TRUE(book.learn({life(1, 6), "there"}));
  EXPECT_EQ(book.find(NodeId{1})->life, life(1, 6));
}

TEST(AddressBookTest, ItForgetsWhatItToldALifeThatItDrops) {
  AddressBook book;
  overlay::e2e::Enqueue message{{{Stamp{1}, NodeId{2}}}, {}};
  book.learn({life(2), "there"});
  book.learn({life(3, 1), "old"});
  EXPECT_EQ(book.introductions(life(3, 1), NodeId{1}, message).size(), 1u);
  EXPECT_EQ(book.introductions(life(3, 1), NodeId{1}, message).size(), 0u);
  book.learn({life(3, 2), "new"});
  EXPECT_EQ(book.introductions(life(3, 1), NodeId{1}, message).size(), 1u);
}

TEST(AddressBookTest, ItIsBoundedAndWhoIsUsedStays) {
  AddressBook book;
  book.learn({life(1), "here"});
  for (std::uint64_t id = 2; id < 2 * AddressBook::size_max; ++id) {
    book.learn({life(id), "there"});
    EXPECT_TRUE(book.find(NodeId{1}));
  }
  EXPECT_EQ(book.size(), AddressBook::size_max);
}

}  // namespace conch::node::address_book_test
