#include "node/names.hpp"

#include <gtest/gtest.h>

#include <conch/error.hpp>
#include <string>

namespace conch::node::names_test {

std::string complaint_about(std::string_view name) {
  try {
    check_lock_name(name);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LockNames, LocksAreAnyWords) {
  for (std::string name :
       {"deploy", "/srv/data of 7", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x90\x9a",
        "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", "-", ".."})
    EXPECT_EQ(complaint_about(name), "") << name;
  EXPECT_EQ(complaint_about(std::string(255, 'x')), "");
}

TEST(LockNames, LocksThatAreNotUtf8) {
  for (std::string name :
       {"\x80", "\xc3", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe2\x82", "\xed\xa0\x80",
        "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xe2\x28\xa1"})
    EXPECT_NE(complaint_about(name).find("is not UTF-8"), std::string::npos) << name;
}

TEST(LockNames, LocksThatWouldSpoilATerminal) {
  for (std::string name : {"a\nb", "\x1b[2J", "\x7f", "\xc2\x80", "\xc2\x9f"})
    EXPECT_NE(complaint_about(name).find("control character"), std::string::npos);
  EXPECT_NE(complaint_about(std::string_view("a\0", 2)), "");
  EXPECT_EQ(complaint_about("\xc2\x9f"),
            "\"\\xc2\\x9f\" cannot be the name of a lock: it contains a control character");
}

TEST(LockNames, LocksThatAreTooLongOrNothing) {
  EXPECT_EQ(complaint_about(""),
            "\"\" cannot be the name of a lock: it has 0 bytes, and may have 1 to 255");
  EXPECT_EQ(complaint_about(std::string(256, 'x')),
            "\"" + std::string(60, 'x') +
                "...\" cannot be the name of a lock: it has 256 bytes, and may have 1 to 255");
}

TEST(LockNames, WhatOthersSayIsPrintedOnOneLine) {
  EXPECT_EQ(printable("make deploy"), "make deploy");
  EXPECT_EQ(printable("a\nb\x1b[2J"), "a b [2J");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f dich"), "gr\xc3\xbc\xc3\x9f dich");
  EXPECT_EQ(printable("\xff\xc3"), "??");
  EXPECT_EQ(printable("\xc2\x9b"), " ") << "a control character in two bytes";
  EXPECT_EQ(printable(std::string(300, 'x')), std::string(256, 'x'));
  EXPECT_EQ(printable(std::string(255, 'x') + "\xc3\xbc"), std::string(255, 'x'));
}

TEST(LockNames, NumbersInHex) {
  EXPECT_EQ(in_hex(0), "0");
  EXPECT_EQ(in_hex(0x1f), "1f");
  EXPECT_EQ(in_hex(~std::uint64_t{0}), "ffffffffffffffff");
}

}  // namespace conch::node::names_test
