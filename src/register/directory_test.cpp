// Directories that are refused as state directories.
#include "register/directory.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <fstream>

#include "register/file_register.hpp"
#include "register/testing/scratch.hpp"
#include "register/testing/views.hpp"

namespace conch::directory_test {

constexpr uid_t somebody_else = 65534;

class DirectoryTest : public testing::Test {
 protected:
  static std::string complaint(const std::string& path) {
    try {
      FileRegister open(path);
    } catch (const RegisterError& error) {
      return error.what();
    }
    return "";
  }
  /// The error message that an unprivileged user gets.
  static std::string complaint_without_privileges(const std::string& path) {
    if (::geteuid() != 0) return complaint(path);
    ScratchFolder scratch;
    ::chmod(scratch.path().c_str(), 0777);
    std::string report = scratch.path() + "/report";
    Child child([&] {
      if (::setuid(somebody_else) != 0) return 1;
      std::ofstream(report) << complaint(path);
      return 0;
    });
    EXPECT_EQ(child.await_exit(), 0);
    std::ifstream file(report);
    std::string text;
    std::getline(file, text);
    return text;
  }
  std::string make(const std::string& name, mode_t mode) const {
    std::string path = scratch.path() + "/" + name;
    ::mkdir(path.c_str(), 0700);
    ::chmod(path.c_str(), mode);
    if (::geteuid() == 0 && ::chown(path.c_str(), somebody_else, somebody_else) != 0)
      ADD_FAILURE() << path << " cannot be given away";
    return path;
  }

  ScratchFolder scratch;
};

TEST_F(DirectoryTest, IsMadeForUsAlone) {
  std::string path = scratch.path() + "/state";
  EXPECT_EQ(complaint(path), "");
  struct stat found {};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777u, 0700u);
  EXPECT_EQ(complaint(path), "") << "and is there for the next";
}

TEST_F(DirectoryTest, InADirectoryThatIsNotThere) {
  std::string path = scratch.path() + "/nowhere/state";
  EXPECT_EQ(complaint(path).find("the state directory " + path +
                                 " cannot be created: No such file or directory"),
            0u)
      << complaint(path);
}

TEST_F(DirectoryTest, AFileIsNone) {
  std::string path = scratch.path() + "/file";
  std::ofstream(path) << "text";
  EXPECT_EQ(complaint(path), "the state directory " + path + " cannot be opened: Not a directory");
}

TEST_F(DirectoryTest, OneThatOthersCanWriteIsRefused) {
  std::string path = scratch.path() + "/open";
  ::mkdir(path.c_str(), 0700);
  ::chmod(path.c_str(), 0770);
  EXPECT_EQ(complaint(path),
            "the state directory " + path +
                " can be written by other users, who could forge views; chmod 700 it");
}

TEST_F(DirectoryTest, OneOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  std::string path = make("theirs", 0700);
  EXPECT_EQ(complaint(path), "the state directory " + path +
                                 " belongs to user 65534, this is user 0; all peers that share one "
                                 "must run as its owner: choose another");
}

TEST_F(DirectoryTest, OneThatCannotBeWrittenIsRefused) {
  ::chmod(scratch.path().c_str(), 0755);
  std::string path = make("closed", 0500);
  std::string text = complaint_without_privileges(path);
  EXPECT_EQ(text.find("cannot make " + path + "/work."), 0u) << text;
  EXPECT_NE(text.find(": Permission denied; this user must be able to write there"), text.npos)
      << text;
}

TEST_F(DirectoryTest, OneThatCannotBeReadIsRefused) {
  ::chmod(scratch.path().c_str(), 0755);
  std::string path = make("blind", 0300);
  std::string text = complaint_without_privileges(path);
  EXPECT_EQ(text.find("the state directory " + path + " cannot be opened: Permission denied"), 0u)
      << text;
}

TEST_F(DirectoryTest, OneThatBecomesReadOnlyIsAClearErrorAndLosesNothing) {
  ::chmod(scratch.path().c_str(), 0755);
  std::string path = make("later", 0700);
  Child child([&] {
    if (::geteuid() == 0 && ::setuid(somebody_else) != 0) return 1;
    FileRegister open(path);
    recovery::View view = open.propose(after({}, life(1), {life(1)})).snapshot.view;
    ::chmod(path.c_str(), 0500);
    if (complaint(path).find("Permission denied") == std::string::npos) return 2;
    return open.read().view == view ? 0 : 3;
  });
  EXPECT_EQ(child.await_exit(), 0);
}

TEST_F(DirectoryTest, OneOnAReadOnlyFileSystemIsRefused) {
  std::string path = scratch.path() + "/fixed";
  constexpr int not_allowed = 77;
  Child child([&] {
    ::mkdir(path.c_str(), 0700);
    FileRegister(path).propose(after({}, life(1), {life(1)}));
    const char* at = path.c_str();
    bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                   ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                   ::mount(at, at, nullptr, MS_BIND, nullptr) == 0 &&
                   ::mount(nullptr, at, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0;
    if (!mounted) return not_allowed;
    std::string text = complaint(path);
    return text.find("cannot make " + path + "/work.") == 0 &&
                   text.find("Read-only file system; this user must be able to write there") !=
                       std::string::npos
               ? 0
               : 1;
  });
  int status = child.await_exit();
  if (status == not_allowed) GTEST_SKIP() << "only root can mount";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(complaint(path), "") << "and nothing happened to it";
}

TEST_F(DirectoryTest, NamesAndNumbersAreReadStrictly) {
  EXPECT_EQ(file::number_in("0"), 0u);
  EXPECT_EQ(file::number_in("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text : {"", "01", "-1", "+1", "1 ", " 1", "1x", "18446744073709551616"})
    EXPECT_EQ(file::number_in(text), std::nullopt) << text;
  EXPECT_EQ(file::after("view.", "view.7"), "7");
  EXPECT_EQ(file::after("view.", "views"), std::nullopt);
  EXPECT_NE(file::unique_tag(), file::unique_tag());
  EXPECT_EQ(file::hexadecimal(0xbeef), "000000000000beef");
}

TEST_F(DirectoryTest, EachDeedSaysWhetherItWasPossible) {
  file::Directory here(scratch.path());
  here.create("a", "text");
  EXPECT_EQ(here.read("a", 100), "text");
  EXPECT_EQ(here.read("a", 2), "tex") << "one more, so that one sees that it is too long";
  EXPECT_EQ(here.read("b", 100), std::nullopt);
  EXPECT_THROW(here.create("a"), RegisterError);
  EXPECT_TRUE(here.make_directory("d"));
  EXPECT_FALSE(here.make_directory("d"));
  EXPECT_EQ(here.link("a", "d/b"), file::Linked::done);
  EXPECT_EQ(here.link("a", "d/b"), file::Linked::taken);
  EXPECT_EQ(here.link("a", "e/b"), file::Linked::gone);
  EXPECT_TRUE(here.make_directory("f"));
  EXPECT_FALSE(here.rename("f", "d")) << "there is something in it";
  EXPECT_TRUE(here.rename("d", "f")) << "there is nothing in it";
  EXPECT_FALSE(here.rename("d", "f"));
  EXPECT_EQ(here.list("d"), std::nullopt);
  EXPECT_EQ(here.list("f"), std::vector<std::string>{"b"});
  EXPECT_FALSE(here.remove("f"));
  here.remove_all("f");
  here.remove_all("f");
  EXPECT_FALSE(here.exists("f"));
}

}  // namespace conch::directory_test
