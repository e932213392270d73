#include "register/file_register.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "register/testing/scratch.hpp"
#include "register/testing/views.hpp"

namespace conch::file_register_test {

/// Moves this process into a user namespace without inotify. False if that is not permitted.
bool do_without_inotify() {
  std::string user = std::to_string(::geteuid());
  if (::unshare(CLONE_NEWUSER) != 0) return false;
  std::ofstream("/proc/self/uid_map") << user << " " << user << " 1\n";
  std::ofstream limit("/proc/sys/user/max_inotify_instances");
  limit << "0\n" << std::flush;
  return limit.good() && ::inotify_init1(IN_CLOEXEC) < 0;
}

TEST(FileRegister, WhereThereAreTooManyWatchersItLooksAgainAndAgain) {
  ScratchFolder scratch;
  FileRegister others(scratch.path());
  constexpr int not_allowed = 77;
  Child child([&] {
    if (!do_without_inotify()) return not_allowed;
    FileRegister mine(scratch.path());
    if (mine.read().view.number != 0) return 1;
    ::raise(SIGSTOP);
    return readable(mine.descriptor(), std::chrono::seconds(10)) && mine.read().view.number == 1
               ? 0
               : 2;
  });
  if (!child.await_stop()) GTEST_SKIP() << "this user cannot have a world of its own";
  EXPECT_TRUE(others.propose(after({}, life(1), {life(1)})).accepted);
  child.send(SIGCONT);
  EXPECT_EQ(child.await_exit(), 0);
}

bool has_inotify() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone) == "anon_inode:inotify") return true;
  }
  return false;
}

TEST(FileRegister, DoesWithoutInotifyAtFirst) {
  ScratchFolder scratch;
  FileRegisterOptions options;
  options.inotify_after = std::chrono::hours(1);
  FileRegister mine(scratch.path(), options);
  EXPECT_EQ(mine.read().view.number, 0U);
  EXPECT_FALSE(has_inotify());
  FileRegister others(scratch.path());
  others.read();
  EXPECT_TRUE(has_inotify()) << "of the others, who do not wait for it";
  EXPECT_TRUE(others.propose(after({}, life(1), {life(1)})).accepted);
  EXPECT_TRUE(readable(mine.descriptor(), std::chrono::seconds(10)));
  EXPECT_EQ(mine.read().view.number, 1U);
}

TEST(FileRegister, RefusesOptionsThatMakeNoSense) {
  ScratchFolder scratch;
  FileRegisterOptions options;
  options.lease = Duration::zero();
  EXPECT_THROW(FileRegister(scratch.path(), options), std::invalid_argument);
  options = {};
  options.segment_views = 0;
  EXPECT_THROW(FileRegister(scratch.path(), options), std::invalid_argument);
}

}  // namespace conch::file_register_test
