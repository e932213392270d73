#include "peer/boundary.hpp"

#include <gtest/gtest.h>

#include <system_error>

#include "catalog/catalog.hpp"
#include "register/register.hpp"

namespace conch::peer::boundary_test {

template <class Thrown>
Error caught(const Thrown& thrown) {
  try {
    at_boundary(OptionNames::members, [&] { throw thrown; });
  } catch (const Error& error) {
    return error;
  }
  return Error("nothing");
}

TEST(Boundary, WhatComesOutIsAnErrorWithACode) {
  EXPECT_EQ(caught(RegisterError("no disk")).code(), ErrorCode::unavailable);
  EXPECT_EQ(caught(UnknownName("paxos")).code(), ErrorCode::bad_argument);
  EXPECT_EQ(caught(std::invalid_argument("a lease")).code(), ErrorCode::bad_argument);
  EXPECT_EQ(caught(std::system_error(EAGAIN, std::generic_category())).code(),
            ErrorCode::exhausted);
  EXPECT_EQ(caught(Error(ErrorCode::left, "gone")).code(), ErrorCode::left);
  EXPECT_STREQ(caught(RegisterError("no disk")).what(), "no disk");
  EXPECT_THROW(at_boundary(OptionNames::members, []() -> int { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(Boundary, OptionsAreCalledWhatTheCallerCallsThem) {
  std::string text = "leave out --join, or --register-ca; `conch peer --join x`; take --cluster";
  EXPECT_EQ(in_words_of(OptionNames::command_line, text), text);
  EXPECT_EQ(in_words_of(OptionNames::members, text),
            "leave out PeerOptions::join, or EtcdOptions::authority; `conch peer --join x`; take "
            "PeerOptions::cluster");
  EXPECT_EQ(in_words_of(OptionNames::environment, text),
            "leave out CONCH_JOIN, or CONCH_REGISTER_CA; `conch peer --join x`; take --cluster");
}

TEST(Boundary, WhatIsNoOptionOfOursStays) {
  EXPECT_EQ(in_words_of(OptionNames::members, "etcd's --max-request-bytes -- and --"),
            "etcd's --max-request-bytes -- and --");
}

}  // namespace conch::peer::boundary_test
