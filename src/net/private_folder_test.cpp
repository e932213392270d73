#include "net/private_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "net/testing/station.hpp"

namespace conch::net::testing::private_folder_test {

namespace fs = std::filesystem;

struct Row {
  uid_t owner;
  gid_t group;
  mode_t mode;
  PathPart part;
  const char* why;
};

constexpr mode_t directory = S_IFDIR;
constexpr mode_t link = S_IFLNK;

/// Seen by user 1000, a member of the groups 1000 and 50.
const Row rows[] = {
    {1000, 1000, directory | 0700, PathPart::own, ""},
    {1000, 1000, directory | 0500, PathPart::own, ""},
    {1000, 1000, directory | 0750, PathPart::own,
     "/x is open to other users, who could take or forge locks; chmod 700 it"},
    {1000, 1000, directory | 0701, PathPart::own,
     "/x is open to other users, who could take or forge locks; chmod 700 it"},
    {1001, 1001, directory | 0700, PathPart::own,
     "/x belongs to user 1001, this is user 1000; choose another directory"},
    {0, 0, directory | 0700, PathPart::own,
     "/x belongs to user 0, this is user 1000; choose another directory"},
    {0, 0, directory | 0755, PathPart::above, ""},
    {1000, 1000, directory | 0755, PathPart::above, ""},
    {0, 0, directory | 01777, PathPart::above, ""},
    {0, 0, directory | 0777, PathPart::above,
     "/x can be written by every user, who could replace our directory; chmod o-w it, or choose "
     "another directory"},
    {1000, 1000, directory | 0775, PathPart::above, ""},
    {0, 50, directory | 02775, PathPart::above, ""},
    {0, 60, directory | 02775, PathPart::above,
     "/x can be written by group 60, to which this user does not belong; chmod g-w it, or choose "
     "another directory"},
    {1001, 1001, directory | 0755, PathPart::above,
     "/x belongs to user 1001, this is user 1000: its owner could replace our directory; choose "
     "another directory"},
    {0, 0, link | 0777, PathPart::above, ""},
    {1001, 1001, link | 0777, PathPart::above,
     "/x belongs to user 1001, this is user 1000: its owner could replace our directory; choose "
     "another directory"},
};

TEST(APrivateFolder, IsWhereNobodyElseCanPutAnything) {
  for (const Row& row : rows) {
    struct stat found {};
    found.st_uid = row.owner;
    found.st_gid = row.group;
    found.st_mode = row.mode;
    EXPECT_EQ(objection_to_directory("/x", found, row.part, {1000, {1000, 50}}), row.why);
  }
}

TEST(APrivateFolder, IsFoundWhereRootIsNotKnown) {
  struct stat of_root {};
  of_root.st_uid = 65534;
  of_root.st_mode = directory | 0755;
  EXPECT_NE(objection_to_directory("/x", of_root, PathPart::above, {1000, {}}), "");
  EXPECT_EQ(objection_to_directory("/x", of_root, PathPart::above, {1000, {}, 65534}), "");
  EXPECT_NE(objection_to_directory("/x", of_root, PathPart::own, {1000, {}, 65534}), "");
}

class PrivateFolderTest : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return scratch.file(name); }
  static std::string complaint(const std::string& path, std::size_t own = 1,
                               Missing missing = Missing::leave) {
    try {
      PrivateFolder folder(path, own, missing);
    } catch (const Untrusted& error) {
      return error.what();
    }
    return "";
  }
  static mode_t mode_of(const std::string& path) {
    struct stat found {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 07777u;
  }
  ScratchFolder scratch;
};

TEST_F(PrivateFolderTest, IsMadeForOneselfAlone) {
  EXPECT_FALSE(PrivateFolder(at("a/b/c")).is_there());
  EXPECT_FALSE(fs::exists(at("a"))) << "looking makes nothing";
  PrivateFolder made(at("a/b/c"), 2, Missing::make);
  ASSERT_TRUE(made.is_there());
  for (const char* name : {"a", "a/b", "a/b/c"}) EXPECT_EQ(mode_of(at(name)), 0700u) << name;
  std::ofstream(made.path_to("note")) << "here";
  EXPECT_TRUE(fs::exists(at("a/b/c/note")));
  EXPECT_TRUE(PrivateFolder(at("a/b/c/")).is_there()) << "a slash at the end says nothing";
}

TEST_F(PrivateFolderTest, StaysTheSameWhateverItsNameIsGivenTo) {
  PrivateFolder folder(at("one"), 1, Missing::make);
  fs::rename(at("one"), at("two"));
  fs::create_directory(at("one"));
  std::ofstream(folder.path_to("note")) << "here";
  EXPECT_TRUE(fs::exists(at("two/note")));
  EXPECT_FALSE(fs::exists(at("one/note")));
}

TEST_F(PrivateFolderTest, IsRefusedBelowADirectoryThatAllCanWrite) {
  PrivateFolder made(at("open/own"), 1, Missing::make);
  ::chmod(at("open").c_str(), 0777);
  EXPECT_NE(complaint(at("open/own")).find(at("open") + " can be written by every user"),
            std::string::npos);
  ::chmod(at("open").c_str(), 01777);
  EXPECT_EQ(complaint(at("open/own")), "");
  ::chmod(at("open/own").c_str(), 0755);
  EXPECT_EQ(
      complaint(at("open/own")),
      at("open/own") + " is open to other users, who could take or forge locks; chmod 700 it");
}

TEST_F(PrivateFolderTest, IsReachedThroughLinksButIsNone) {
  PrivateFolder made(at("home/user/own"), 1, Missing::make);
  fs::create_directory_symlink("home", at("relative"));
  fs::create_directory_symlink(at("relative") + "/../home/user", at("absolute"));
  EXPECT_TRUE(PrivateFolder(at("absolute/own")).is_there());
  fs::create_directory_symlink(at("home/user/own"), at("link"));
  EXPECT_NE(complaint(at("link")).find("is not a directory but a file or a symbolic link"),
            std::string::npos);
  EXPECT_NE(complaint(at("absolute/own"), 2).find("symbolic link"), std::string::npos);
  fs::create_directory_symlink("loop", at("loop"));
  EXPECT_THROW(PrivateFolder(at("loop/own")), Error);
  fs::create_directory_symlink("nowhere", at("dangling"));
  EXPECT_FALSE(PrivateFolder(at("dangling/own")).is_there());
}

TEST_F(PrivateFolderTest, IsNoFile) {
  std::ofstream(at("file")) << "something";
  EXPECT_NE(complaint(at("file")).find("is not a directory"), std::string::npos);
  EXPECT_NE(complaint(at("file/below")).find("is not a directory"), std::string::npos);
}

/// The user that creates a directory first controls what is in it.
TEST_F(PrivateFolderTest, ThatAnotherUserMadeFirstIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives directories away";
  ::chmod(at("").c_str(), 01777);
  fs::create_directories(at("theirs/own"));
  ::chmod(at("theirs/own").c_str(), 0700);
  ASSERT_EQ(::chown(at("theirs").c_str(), 12345, 12345), 0);
  EXPECT_NE(
      complaint(at("theirs/own")).find(at("theirs") + " belongs to user 12345, this is user 0"),
      std::string::npos);
  fs::create_directory_symlink(at("theirs"), at("link"));
  ASSERT_EQ(::lchown(at("link").c_str(), 12345, 12345), 0);
  ASSERT_EQ(::chown(at("theirs").c_str(), 0, 0), 0);
  EXPECT_EQ(complaint(at("theirs/own")), "");
  EXPECT_NE(complaint(at("link/own")).find(at("link") + " belongs to user 12345"),
            std::string::npos);
}

}  // namespace conch::net::testing::private_folder_test
