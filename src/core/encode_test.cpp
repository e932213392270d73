#include "core/encode.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "core/flat_set.hpp"
#include "core/measure.hpp"
#include "core/members.hpp"
#include "core/print.hpp"
#include "core/testing/dice.hpp"

namespace conch::encode_test {

using namespace std::string_view_literals;

enum class Colour : std::uint8_t { red, green, blue };

struct Nothing {
  CONCH_FIELDS(Nothing)
};
struct Leaf {
  NodeId node;
  std::optional<Epoch> epoch;
  bool ripe = false;
  CONCH_FIELDS(Leaf, node, epoch, ripe)
};
struct Tree {
  std::int8_t depth = 0;
  std::int64_t balance = 0;
  std::uint16_t width = 0;
  Colour colour = Colour::red;
  Duration age{};
  std::string name;
  Stamp stamp;
  Baton baton;
  Members members;
  FlatSet<Fence> fences;
  std::set<std::uint32_t> marks;
  std::map<NodeId, Leaf> leaves;
  std::pair<Leaf, std::optional<Nothing>> twins;
  std::vector<std::vector<std::int32_t>> rows;
  std::variant<Leaf, Nothing, std::vector<Leaf>> fruit;
  CONCH_FIELDS(Tree, depth, balance, width, colour, age, name, stamp, baton, members, fences, marks,
               leaves, twins, rows, fruit)
};

template <class T>
T grow(Dice& dice);

/// Numbers of every length are equally likely.
template <Number T>
T grow_number(Dice& dice) {
  while (true) {
    std::uint64_t number = dice.number() >> dice.below(64);
    if (auto value = from_number<T>(dice.percent(20) ? ~number : number)) return *value;
  }
}

template <class T, std::size_t... indices>
T grow_choice(Dice& dice, std::index_sequence<indices...>) {
  std::size_t chosen = dice.below(sizeof...(indices));
  T value;
  (void)((chosen == indices && (value = T(std::in_place_index<indices>,
                                          grow<std::variant_alternative_t<indices, T>>(dice)),
                                true)) ||
         ...);
  return value;
}

template <class T>
struct ElementOf : std::type_identity<std::ranges::range_value_t<T>> {};
template <class Key, class Value>
struct ElementOf<std::map<Key, Value>> : std::type_identity<std::pair<Key, Value>> {};

template <class T>
T grow_sequence(Dice& dice) {
  std::vector<typename ElementOf<T>::type> elements(dice.percent(5) ? dice.below(40)
                                                                    : dice.below(4));
  for (auto& element : elements) element = grow<typename ElementOf<T>::type>(dice);
  if constexpr (std::same_as<T, Members>) {
    return Members(elements);
  } else {
    return T(elements.begin(), elements.end());
  }
}

template <class T>
T grow(Dice& dice) {
  if constexpr (Number<T>) {
    return grow_number<T>(dice);
  } else if constexpr (Maybe<T>) {
    return dice.percent(50) ? T(grow<typename T::value_type>(dice)) : T();
  } else if constexpr (Choice<T>) {
    return grow_choice<T>(dice, std::make_index_sequence<std::variant_size_v<T>>{});
  } else if constexpr (Pair<T>) {
    auto first = grow<typename T::first_type>(dice);
    return {std::move(first), grow<typename T::second_type>(dice)};
  } else if constexpr (Text<T>) {
    return std::string(dice.percent(5) ? dice.below(300) : dice.below(8),
                       static_cast<char>(dice.number()));
  } else if constexpr (HasFields<T>) {
    T value{};
    visit_fields(value, [&](std::string_view, auto& field) {
      field = grow<std::remove_reference_t<decltype(field)>>(dice);
    });
    return value;
  } else {
    return grow_sequence<T>(dice);
  }
}

template <class T>
std::string encoded(const T& value) {
  std::string bytes;
  encode(bytes, value);
  return bytes;
}

template <class T>
std::optional<T> decoded(std::string_view bytes) {
  T value{};
  Decoder decoder(bytes);
  if (!decoder.decode(value) || !decoder.finish()) return std::nullopt;
  return value;
}

template <class T>
std::string complaint(std::string_view bytes) {
  T value{};
  Decoder decoder(bytes);
  if (decoder.decode(value)) decoder.finish();
  return decoder.error();
}

TEST(Encode, WritesMessagePack) {
  EXPECT_EQ(encoded(NodeId{0}), "\x00"sv);
  EXPECT_EQ(encoded(NodeId{127}), "\x7f"sv);
  EXPECT_EQ(encoded(NodeId{128}), "\xcc\x80"sv);
  EXPECT_EQ(encoded(NodeId{256}), "\xcd\x01\x00"sv);
  EXPECT_EQ(encoded(NodeId{65'536}), "\xce\x00\x01\x00\x00"sv);
  EXPECT_EQ(encoded(Fence(Epoch{1}, 7)), "\xcf\x00\x00\x00\x01\x00\x00\x00\x07"sv);
  EXPECT_EQ(encoded(std::vector<int>{1, 2}), "\x92\x01\x02"sv);
  EXPECT_EQ(encoded(std::vector<int>(16)).substr(0, 4), "\xdc\x00\x10\x00"sv);
  EXPECT_EQ(encoded(std::vector<int>(65'536)).substr(0, 6), "\xdd\x00\x01\x00\x00\x00"sv);
}

TEST(Encode, WritesATextAsItsBytes) {
  EXPECT_EQ(encoded(std::string()), "\xa0"sv);
  EXPECT_EQ(encoded(std::string("a\xff\x00"sv)),
            "\xa3"
            "a\xff\x00"sv);
  EXPECT_EQ(encoded(std::string(31, 'x')).substr(0, 2), "\xbfx"sv);
  EXPECT_EQ(encoded(std::string(32, 'x')).substr(0, 3), "\xd9\x20x"sv);
  EXPECT_EQ(encoded(std::string(256, 'x')).substr(0, 4), "\xda\x01\x00x"sv);
  EXPECT_EQ(encoded(std::string(65'536, 'x')).substr(0, 6), "\xdb\x00\x01\x00\x00x"sv);
}

TEST(Encode, WritesAStructAsItsFieldsAndAChoiceAsItsIndexAndValue) {
  EXPECT_EQ(encoded(Leaf{NodeId{3}, {}, true}), "\x93\x03\xc0\x01"sv);
  EXPECT_EQ(encoded(Nothing{}), "\x90"sv);
  EXPECT_EQ(encoded(std::variant<Leaf, Nothing>{Nothing{}}), "\x92\x01\x90"sv);
}

TEST(Decode, ReadsWhatWasWritten) {
  Dice dice(1);
  for (int i = 0; i < 5000; ++i) {
    auto tree = grow<Tree>(dice);
    std::string bytes = encoded(tree);
    ASSERT_EQ(bytes.size(), encoded_size(tree)) << print(tree);
    ASSERT_EQ(decoded<Tree>(bytes), tree) << print(tree);
  }
}

TEST(Decode, ReadsOneValueAfterTheOther) {
  std::string bytes = encoded(NodeId{300}) + encoded(Leaf{}) + encoded(-7);
  Decoder decoder(bytes);
  NodeId node;
  Leaf leaf;
  int number = 0;
  EXPECT_TRUE(decoder.decode(node) && decoder.decode(leaf) && decoder.decode(number));
  EXPECT_TRUE(decoder.finish());
  EXPECT_EQ(node, NodeId{300});
  EXPECT_EQ(number, -7);
}

TEST(Decode, OverwritesWhatWasThere) {
  Dice dice(2);
  auto tree = grow<Tree>(dice);
  std::string bytes = encoded(Tree{});
  Decoder decoder(bytes);
  EXPECT_TRUE(decoder.decode(tree) && decoder.finish());
  EXPECT_EQ(tree, Tree{});
}

TEST(Decode, RefusesEveryPrefix) {
  Dice dice(3);
  for (int i = 0; i < 50; ++i) {
    std::string bytes = encoded(grow<Tree>(dice));
    for (std::size_t length = 0; length < bytes.size(); ++length)
      ASSERT_FALSE(decoded<Tree>(bytes.substr(0, length))) << length << " of " << bytes.size();
  }
}

TEST(Decode, RefusesTrailingBytes) {
  EXPECT_EQ(complaint<Leaf>("\x93\x03\xc0\x01\x00"sv), "bytes are left over at byte 4");
}

TEST(Decode, RefusesTheWrongNumberOfFields) {
  EXPECT_EQ(complaint<Leaf>("\x92\x03\xc0"sv),
            "an array has the wrong number of elements at byte 1");
  EXPECT_FALSE(decoded<Leaf>("\x94\x03\xc0\x01\x01"sv));
  EXPECT_FALSE(decoded<Nothing>("\x91\x00"sv));
  EXPECT_FALSE((decoded<std::pair<int, int>>("\x93\x01\x02\x03"sv)));
  EXPECT_FALSE((decoded<std::variant<int>>("\x91\x00"sv)));
}

TEST(Decode, RefusesNumbersOutOfRange) {
  EXPECT_EQ(complaint<bool>("\x02"sv), "a number is out of range at byte 1");
  EXPECT_FALSE(decoded<Epoch>("\xcf\x00\x00\x00\x01\x00\x00\x00\x00"sv));
  EXPECT_FALSE(decoded<std::uint16_t>("\xce\x00\x01\x00\x00"sv));
  EXPECT_FALSE(decoded<std::int8_t>("\xcc\x80"sv));
  EXPECT_FALSE(decoded<Colour>("\xcd\x01\x00"sv));
}

TEST(Decode, RefusesAnUnknownKindOfMessage) {
  EXPECT_EQ((complaint<std::variant<Leaf, Nothing>>("\x92\x02\x90"sv)),
            "an unknown kind of message at byte 2");
}

TEST(Decode, RefusesTheWrongKindOfValue) {
  EXPECT_EQ(complaint<NodeId>("\x90"sv), "expected an unsigned number at byte 1");
  EXPECT_EQ(complaint<NodeId>("\xc0"sv), "expected an unsigned number at byte 1");
  EXPECT_EQ(complaint<NodeId>("\xff"sv), "expected an unsigned number at byte 1");
  EXPECT_EQ(complaint<Leaf>("\x03"sv), "expected an array at byte 1");
}

TEST(Decode, DoesNotBelieveALengthThatIsLongerThanTheInput) {
  EXPECT_EQ(complaint<std::vector<Tree>>("\xdd\xff\xff\xff\xff\x00"sv),
            "an array is longer than its input at byte 5");
  EXPECT_FALSE(decoded<std::vector<int>>("\xdc\x00\x03\x01\x02"sv));
  EXPECT_FALSE(decoded<Members>("\x9f\x01"sv));
}

TEST(Decode, ReadsATextOfEveryLengthAndNoMoreThanThereIs) {
  for (std::size_t length : {0, 1, 31, 32, 255, 256, 65'535, 65'536}) {
    std::string text(length, 'x');
    EXPECT_EQ(decoded<std::string>(encoded(text)), text) << length;
    EXPECT_FALSE(decoded<std::string>(encoded(text).substr(0, length))) << length;
  }
  EXPECT_EQ(complaint<std::string>("\xdb\xff\xff\xff\xffx"sv),
            "a text is longer than its input at byte 5");
  EXPECT_EQ(complaint<std::string>("\xd9"sv), "the input ends inside a number at byte 1");
  EXPECT_EQ(complaint<std::string>("\x91\x61"sv), "expected a text at byte 1");
  EXPECT_EQ(complaint<std::string>("\xc4\x00"sv), "expected a text at byte 1");
  EXPECT_EQ(decoded<std::string>("\xda\x00\x01x"sv), "x") << "longer than it needs to be";
}

TEST(Decode, RemembersTheFirstMistake) {
  Decoder decoder("\x02\x01"sv);
  bool truth = false;
  EXPECT_FALSE(decoder.decode(truth));
  EXPECT_FALSE(decoder.decode(truth));
  EXPECT_FALSE(decoder.finish());
  EXPECT_EQ(decoder.error(), "a number is out of range at byte 1");
}

// MessagePack has several forms for one value: a number may be longer than it needs to be, and a
// set may come in any order. They are read; only the shortest, sorted one is ever written.
TEST(Decode, ReadsFormsThatAreNeverWritten) {
  EXPECT_EQ(decoded<NodeId>("\xcf\x00\x00\x00\x00\x00\x00\x00\x05"sv), NodeId{5});
  EXPECT_EQ(decoded<std::vector<int>>("\xdc\x00\x01\x05"sv), std::vector<int>{5});
  EXPECT_EQ(decoded<FlatSet<int>>("\x93\x02\x01\x02"sv), (FlatSet<int>{1, 2}));
}

/// Bytes that are almost an encoding.
std::string spoil(std::string bytes, Dice& dice) {
  for (std::uint64_t i = 0, changes = 1 + dice.below(3); i < changes && !bytes.empty(); ++i) {
    std::size_t place = dice.below(bytes.size());
    switch (dice.below(4)) {
      case 0: bytes.erase(place, 1); break;
      case 1: bytes.insert(place, 1, static_cast<char>(dice.number())); break;
      default: bytes[place] = static_cast<char>(dice.number());
    }
  }
  return bytes;
}

std::string noise(Dice& dice) {
  std::string bytes(dice.below(40), '\0');
  for (char& byte : bytes) byte = static_cast<char>(dice.number());
  return bytes;
}

/// What is accepted means one value, and is no shorter than the form we would write.
template <class T>
bool expect_sense(const std::string& bytes) {
  std::optional<T> value = decoded<T>(bytes);
  if (!value) return false;
  EXPECT_LE(encoded(*value).size(), bytes.size()) << print(*value);
  EXPECT_EQ(decoded<T>(encoded(*value)), value) << print(*value);
  return true;
}

TEST(Decode, MakesSenseOfGarbageOrRefusesIt) {
  Dice dice(4);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 100'000; ++i) {
    bool makes_sense = false;
    switch (dice.below(4)) {
      case 0: makes_sense = expect_sense<Leaf>(noise(dice)); break;
      case 1: makes_sense = expect_sense<std::vector<std::optional<int>>>(noise(dice)); break;
      case 2: makes_sense = expect_sense<Leaf>(spoil(encoded(grow<Leaf>(dice)), dice)); break;
      case 3: makes_sense = expect_sense<Tree>(spoil(encoded(grow<Tree>(dice)), dice)); break;
    }
    ++(makes_sense ? accepted : refused);
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 10'000);
}

struct Envelope {
  int number = 0;
  std::optional<Encoded> inside;
  CONCH_FIELDS(Envelope, number, inside)
};

TEST(Encode, WhatIsEncodedAlreadyIsPassedOnAsItIs) {
  std::string inside = encoded(std::vector<int>{1, 2, 3});
  std::string bytes = encoded(Envelope{7, Encoded{inside}});
  EXPECT_EQ(bytes, std::string("\x92\x07") + inside);
  EXPECT_EQ(decoded<Envelope>(bytes), (Envelope{7, Encoded{inside}}));
  EXPECT_EQ(decoded<Envelope>("\x92\x07\xc0"), (Envelope{7, std::nullopt}));
  EXPECT_EQ(decoded<Envelope>("\x92\x07"), std::nullopt) << "there is nothing inside";
}

}  // namespace conch::encode_test
