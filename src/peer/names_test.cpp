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
            "\"../\\x1b\" is not a group name: use 1 to 64 of a-z, A-Z, 0-9, '.', '_' "
            "and '-', not beginning with a dot");
}

}  // namespace conch::peer::names_test
