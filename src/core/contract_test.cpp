#include "core/contract.hpp"

#include <gtest/gtest.h>

namespace conch::contract_test {

struct Farewell {
  static constexpr bool may_come_late = true;
  CONCH_FIELDS(Farewell)
};
struct Token {
  CONCH_FIELDS(Token)
};

TEST(Contract, AMessageMayComeLateIfItsTypeSaysSo) {
  using Message = std::variant<Farewell, Token>;
  EXPECT_TRUE(may_be_late(Message(Farewell{})));
  EXPECT_FALSE(may_be_late(Message(Token{})));
}

}  // namespace conch::contract_test
