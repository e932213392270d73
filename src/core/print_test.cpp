#include "core/print.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "core/flat_set.hpp"
#include "core/members.hpp"

namespace conch::print_test {

struct Request {
  NodeId origin;
  CONCH_FIELDS(Request, origin)
};
struct TokenLost {
  CONCH_FIELDS(TokenLost)
};
struct Token {
  Baton baton;
  std::optional<NodeId> next;
  CONCH_FIELDS(Token, baton, next)
};
using Message = std::variant<Request, TokenLost, Token>;

enum class Mood : std::uint8_t { calm, cross };
std::string_view word(Mood mood) { return mood == Mood::calm ? "calm" : "cross"; }

class Hermit {
 public:
  explicit Hermit(Mood mood) : mood_(mood) {}

 private:
  Mood mood_;
  bool awake_ = true;

 public:
  CONCH_FIELDS(Hermit, mood_, awake_)
};

TEST(Print, ShowsAMessageByItsNameAndItsFields) {
  EXPECT_EQ(print(Request{NodeId{3}}), "REQUEST(origin 3)");
  EXPECT_EQ(print(Message{Request{NodeId{3}}}), "REQUEST(origin 3)");
}

TEST(Print, ShowsAMessageWithoutFieldsByItsNameAlone) {
  EXPECT_EQ(print(Message{TokenLost{}}), "TOKEN-LOST");
}

TEST(Print, ShowsAFenceAsEpochAndCount) { EXPECT_EQ(print(Fence(Epoch{1}, 7)), "1.7"); }

TEST(Print, ShowsABatonByItsFenceAndTheVersionOfItsData) {
  EXPECT_EQ(print(Token{{Fence(Epoch{1}, 7), {}}, {}}), "TOKEN(baton 1.7, next -)");
  EXPECT_EQ(print(Token{{Fence(Epoch{1}, 7), {2, 64, {}}}, NodeId{4}}),
            "TOKEN(baton 1.7 v2, next 4)");
}

TEST(Print, ShowsNumbersAsPeopleWriteThem) {
  EXPECT_EQ(print(NodeId{18446744073709551615u}), "18446744073709551615");
  EXPECT_EQ(print(-5), "-5");
  EXPECT_EQ(print(std::int8_t{-128}), "-128");
  EXPECT_EQ(print(Epoch{2}), "2");
  EXPECT_EQ(print(true), "yes");
  EXPECT_EQ(print(false), "no");
}

TEST(Print, ShowsAnEnumByItsWord) { EXPECT_EQ(print(Mood::cross), "cross"); }

TEST(Print, ShowsAnEnumWithoutWordsByItsNumber) { EXPECT_EQ(print(TimerId{4}), "4"); }

TEST(Print, ShowsPrivateFieldsWithoutTheirUnderscore) {
  EXPECT_EQ(print_fields(Hermit(Mood::calm)), "mood calm, awake yes");
  EXPECT_EQ(print(Hermit(Mood::cross)), "HERMIT(mood cross, awake yes)");
}

TEST(Print, ShowsSequencesInBraces) {
  EXPECT_EQ(print(std::vector<int>{}), "{}");
  EXPECT_EQ(print(std::vector<int>{1, -2}), "{1, -2}");
  EXPECT_EQ(print(Members{NodeId{2}, NodeId{0}}), "{0, 2}");
  EXPECT_EQ(print(FlatSet<int>{2, 1, 2}), "{1, 2}");
  EXPECT_EQ(print(std::map<NodeId, bool>{{NodeId{1}, true}, {NodeId{2}, false}}), "{1:yes, 2:no}");
  EXPECT_EQ(print(std::vector<std::optional<Request>>{{}, Request{NodeId{1}}}),
            "{-, REQUEST(origin 1)}");
}

TEST(Print, ShowsATextInQuotes) { EXPECT_EQ(print(std::string("data")), "\"data\""); }

}  // namespace conch::print_test
