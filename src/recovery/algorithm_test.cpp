#include "recovery/algorithm.hpp"

#include <gtest/gtest.h>

#include "core/hash.hpp"
#include "mutex/central.hpp"
#include "mutex/naimi_trehel.hpp"
#include "recovery/algorithm_of.hpp"
#include "recovery/messages.hpp"

namespace conch::recovery::algorithm_test {

constexpr NodeId home{1};
constexpr NodeId other{2};

Assignment start() { return Assignment::fresh(Members{home, other}, home); }

/// What `other` sends when it asks.
Said request(const AnyAlgorithm& algorithm) {
  SaidOutbox out;
  Value value = algorithm.make(other, start());
  value->apply(input::Request{}, out);
  return out.sends().at(0).message;
}

TEST(Algorithm, WhatAValueSaysAnotherUnderstands) {
  const AnyAlgorithm& algorithm = algorithm_of<NaimiTrehel>();
  Value holder = algorithm.make(home, start());
  SaidOutbox out;
  holder->receive(other, request(algorithm), out);
  ASSERT_EQ(out.sends().size(), 1U);
  EXPECT_EQ(out.sends()[0].to, other);
  EXPECT_EQ(out.sends()[0].message.type, "TOKEN");
  EXPECT_TRUE(out.sends()[0].message.is_token);
  EXPECT_FALSE(holder->holds_token());
}

TEST(Algorithm, WhatIsKnownOfAMessageIsKnownAgainWhereItIsRead) {
  const AnyAlgorithm& algorithm = algorithm_of<NaimiTrehel>();
  Value holder = algorithm.make(home, start());
  SaidOutbox out;
  holder->apply(input::Request{}, out);
  holder->receive(other, request(algorithm), out);
  holder->apply(input::Release{{7, 8, home}}, out);
  const Said& token = out.sends().at(0).message;
  EXPECT_EQ(token.data, (DataRef{7, 8, home}));
  Said sent{{token.bytes}};
  EXPECT_EQ(algorithm.read(sent), "");
  EXPECT_EQ(sent.type, token.type);
  EXPECT_EQ(sent.is_token, token.is_token);
  EXPECT_EQ(sent.data, token.data);
}

TEST(Algorithm, ACopyOfAValueIsAnother) {
  Value value = algorithm_of<Central>().make(home, start());
  const Value copy = value;
  EXPECT_EQ(copy, value);
  EXPECT_EQ(hash64(copy), hash64(value));
  SaidOutbox out;
  value->apply(input::Request{}, out);
  EXPECT_NE(copy, value);
  EXPECT_NE(hash64(copy), hash64(value));
  EXPECT_NE(copy, Value{});
  EXPECT_EQ(Value{}, Value{});
}

TEST(Algorithm, WhatItCannotReadIsSaidBeforeAnythingIsDone) {
  const AnyAlgorithm& algorithm = algorithm_of<NaimiTrehel>();
  Message whole = LockMessage{"a", Epoch{1}, request(algorithm)};
  std::string bytes;
  encode(bytes, whole);
  Message message;
  EXPECT_EQ(read(bytes, algorithm, message), "");
  EXPECT_EQ(message, whole);
  EXPECT_EQ(std::get<LockMessage>(message).message->type, "REQUEST");
  EXPECT_NE(read(bytes + "x", algorithm, message), "") << "something follows it";
  EXPECT_NE(read(bytes.substr(0, bytes.size() - 1), algorithm, message), "") << "it ends too soon";
}

}  // namespace conch::recovery::algorithm_test
