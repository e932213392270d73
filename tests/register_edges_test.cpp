// What happens to the machine under the register: its directory is removed.
#include <ctime>

#include "group_shell.hpp"

namespace conch::register_edges_test {

class RegisterEdgesTest : public GroupShell {
 protected:
  std::string state() const { return path("state/conch/default"); }
  static std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++count;
    return count;
  }
  /// A group that begins more epochs than seconds pass is ahead of the clock: docs/limits.md.
  static void await_clock_after(std::uint64_t fence) {
    EXPECT_TRUE(
        await([&] { return static_cast<std::uint64_t>(std::time(nullptr)) > fence >> 32; }));
  }
};

// The directory.

TEST_F(RegisterEdgesTest, FencesGoOnWhenTheRegisterWasRemoved) {
  std::uint64_t last = 0;
  for (int round = 0; round < 3; ++round) {
    Process& holder = holder_of("deploy");
    EXPECT_GT(fence_in(holder), last) << "fences of a lock increase for ever";
    last = fence_in(holder);
    expect_end(holder);
    std::filesystem::remove_all(state());
    await_clock_after(last);
  }
}

TEST_F(RegisterEdgesTest, WhoseRegisterWasRemovedLosesItsLockAndNobodyElseEntersMeanwhile) {
  found("1s");
  Process& holder = lock({"deploy", "--verbose"}, "echo in $CONCH_FENCE; cat");
  ASSERT_TRUE(holder.await_output("in ")) << holder.output();
  std::filesystem::remove_all(state());
  Outcome doctor = run({"doctor"});
  EXPECT_EQ(doctor.status, 1) << doctor.out;
  EXPECT_TRUE(doctor.says("but a peer of the group 'default' runs here")) << doctor.out;
  Outcome other = run({"lock", "deploy", "--", "echo", "inside"});
  EXPECT_EQ(other.out.find("inside"), std::string::npos) << other.out;
  EXPECT_TRUE(other.says("but a peer of the group 'default' runs here")) << other.out;
  EXPECT_EQ(holder.await_exit(), 76) << holder.output();
  EXPECT_EQ(count_of(holder.output(), "was removed or replaced: this peer stands still"), 1u)
      << holder.output();
  await_clock_after(fence_in(holder));
  Process& next = holder_of("deploy");
  EXPECT_GT(fence_in(next), fence_in(holder));
  expect_end(next);
}

TEST_F(RegisterEdgesTest, WhoseRegisterWasReplacedStandsStillUntilItIsBack) {
  Process& one = ready_peer({"--lease", "1s"});
  std::string away = path("away");
  std::filesystem::rename(state(), away);
  ASSERT_TRUE(one.await_output("stands still")) << one.output();
  ASSERT_TRUE(one.await_output("what it held is lost")) << one.output();
  std::filesystem::rename(away, state());
  ASSERT_TRUE(one.await_output("is in the group again")) << one.output();
  EXPECT_EQ(count_of(one.output(), "stands still"), 1u) << one.output();
  leave(one);
}

}  // namespace conch::register_edges_test
