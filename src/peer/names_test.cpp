#include "peer/names.hpp"

#include <gtest/gtest.h>

#include <conch/error.hpp>
#include <string>

namespace conch::peer::names_test {

std::string complaint(void (*check)(std::string_view), std::string_view name) {
  try {
    check(name);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Names, GroupsThatArePartsOfPaths) {
  for (std::string name : {"default", "a", "CI-2.prod_7", "9", "-", "_."})
    EXPECT_EQ(complaint(check_group_name, name), "") << name;
  EXPECT_EQ(complaint(check_group_name, std::string(64, 'x')), "");
}

TEST(Names, ClustersHaveLabels) {
  for (std::string name : {"a", "site/rack/host", "10.0.0.1", "~!", "auto/1"})
    EXPECT_EQ(complaint(check_cluster_name, name), "") << name;
  for (std::string name : {"", "/", "a/", "/a", "a//b", "a b", "caf\xc3\xa9", "a\n"})
    EXPECT_NE(complaint(check_cluster_name, name), "") << name;
  EXPECT_EQ(complaint(check_cluster_name, std::string(200, 'x')), "");
  EXPECT_NE(complaint(check_cluster_name, std::string(201, 'x')), "");
}

TEST(Names, WithoutALabelTheHostIsTheCluster) {
  EXPECT_EQ(cluster_named("west/3"), "west/3");
  EXPECT_FALSE(cluster_named("").empty());
  EXPECT_EQ(cluster_named("auto"), cluster_named(""));
  EXPECT_EQ(complaint(check_cluster_name, cluster_named("")), "");
}

TEST(Names, GroupsThatAreNot) {
  for (std::string name : {"", ".", "..", ".hidden", "a/b", "a b", "caf\xc3\xa9", "a\n"})
    EXPECT_NE(complaint(check_group_name, name), "") << name;
  EXPECT_NE(complaint(check_group_name, std::string(65, 'x')), "");
  EXPECT_NE(complaint(check_group_name, std::string_view("a\0b", 3)), "");
  EXPECT_EQ(complaint(check_group_name, "../\x1b"),
            "\"../\\x1b\" cannot be the name of a group: it has 1 to 64 of a-z, A-Z, 0-9, '.', '_' "
            "and '-', and does not begin with a dot");
}

TEST(Names, LocksAreAnyWords) {
  for (std::string name :
       {"deploy", "/srv/data of 7", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x90\x9a",
        "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", "-", ".."})
    EXPECT_EQ(complaint(check_lock_name, name), "") << name;
  EXPECT_EQ(complaint(check_lock_name, std::string(255, 'x')), "");
}

TEST(Names, LocksThatAreNotUtf8) {
  for (std::string name :
       {"\x80", "\xc3", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe2\x82", "\xed\xa0\x80",
        "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xe2\x28\xa1"})
    EXPECT_NE(complaint(check_lock_name, name).find("is not UTF-8"), std::string::npos) << name;
}

TEST(Names, LocksThatWouldSpoilATerminal) {
  for (std::string name : {"a\nb", "\x1b[2J", "\x7f", "\xc2\x80", "\xc2\x9f"})
    EXPECT_NE(complaint(check_lock_name, name).find("control character"), std::string::npos);
  EXPECT_NE(complaint(check_lock_name, std::string_view("a\0", 2)), "");
  EXPECT_EQ(complaint(check_lock_name, "\xc2\x9f"),
            "\"\\xc2\\x9f\" cannot be the name of a lock: it has a control character in it");
}

TEST(Names, LocksThatAreTooLongOrNothing) {
  EXPECT_EQ(complaint(check_lock_name, ""),
            "\"\" cannot be the name of a lock: it has 0 bytes, and may have 1 to 255");
  EXPECT_EQ(complaint(check_lock_name, std::string(256, 'x')),
            "\"" + std::string(60, 'x') +
                "...\" cannot be the name of a lock: it has 256 bytes, and may have 1 to 255");
}

TEST(Names, WhatOthersSayIsPrintedOnOneLine) {
  EXPECT_EQ(printable("make deploy"), "make deploy");
  EXPECT_EQ(printable("a\nb\x1b[2J"), "a b [2J");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f dich"), "gr\xc3\xbc\xc3\x9f dich");
  EXPECT_EQ(printable("\xff\xc3"), "??");
  EXPECT_EQ(printable("\xc2\x9b"), " ") << "a control character in two bytes";
  EXPECT_EQ(printable(std::string(300, 'x')), std::string(256, 'x'));
  EXPECT_EQ(printable(std::string(255, 'x') + "\xc3\xbc"), std::string(255, 'x'));
}

}  // namespace conch::peer::names_test
