// Tests trouble with the machine under the register: its directory is removed, its disk is full, or
// a process has another clock.
#include <ctime>

#include "group_shell.hpp"

namespace conch::register_edges_test {

class RegisterEdgesTest : public GroupShell {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) in_namespace_.insert(in_namespace_.end(), {"--user", "--map-root-user"});
  }
  std::string state() const { return path("state/conch/default"); }
  static std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++count;
    return count;
  }
  /// Waits until the clock has passed the epoch of a fence. A group that begins more epochs than
  /// seconds pass is ahead of the clock: docs/limits.md.
  static void await_clock_after(std::uint64_t fence) {
    EXPECT_TRUE(
        await([&] { return static_cast<std::uint64_t>(std::time(nullptr)) > fence >> 32; }));
  }
  static Milliseconds processor_time_of(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/schedstat");
    std::uint64_t nanoseconds = 0;
    file >> nanoseconds;
    return Milliseconds(nanoseconds / 1'000'000);
  }

  Words in_namespace_{"unshare"};
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
  found("4s");  // longer than a client waits for a peer whose socket is gone
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
  EXPECT_EQ(count_of(holder.output(), "was removed or replaced: this peer is stuck"), 1u)
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
  ASSERT_TRUE(one.await_output("is stuck")) << one.output();
  ASSERT_TRUE(one.await_output("the locks that it held are lost")) << one.output();
  std::filesystem::rename(away, state());
  ASSERT_TRUE(one.await_output("is in the group again")) << one.output();
  EXPECT_EQ(count_of(one.output(), "is stuck"), 1u) << one.output();
  leave(one);
}

// The disk.

/// The register is in a small file system of its own, which is full once the group is founded.
TEST_F(RegisterEdgesTest, OnAFullDiskAPeerWaitsQuietlyAndEndsAtOnce) {
  const std::string script =
      "mkdir -p $XDG_STATE_HOME && mount -t tmpfs -o size=64k,mode=700 conch $XDG_STATE_HOME && "
      "$0 lock deploy -- true && "
      "{ dd if=/dev/zero of=$XDG_STATE_HOME/filler bs=4k 2>/dev/null; exec $0 \"$@\"; }";
  auto on_full_disk = [&](Words words) -> Process& {
    Words all = in_namespace_;
    all.insert(all.end(), {"--mount", "sh", "-c", script, CONCH_COMMAND});
    all.insert(all.end(), words.begin(), words.end());
    return start(all);
  };
  Process& one = on_full_disk({"peer"});
  if (!one.await_output("No space left on device"))
    GTEST_SKIP() << "no file system can be mounted here: " << one.output();
  Milliseconds before = processor_time_of(one.id());
  EXPECT_FALSE(one.await_output("is in the group", Milliseconds(2000))) << one.output();
  EXPECT_LT((processor_time_of(one.id()) - before).count(), 200) << "it does not rest";
  EXPECT_EQ(count_of(one.output(), "\n"), 1u) << one.output();
  Stopwatch watch;
  one.send(SIGTERM);
  EXPECT_EQ(one.await_exit(), 0) << one.output();
  EXPECT_LT(watch.elapsed(), Milliseconds(2000)) << one.output();

  Process& doctor = on_full_disk({"doctor"});
  EXPECT_EQ(doctor.await_exit(), 1) << doctor.output();
  EXPECT_NE(doctor.output().find(" is full: "), std::string::npos) << doctor.output();

  Process& waiter = on_full_disk({"lock", "--verbose", "deploy", "--", "true"});
  ASSERT_TRUE(waiter.await_output("No space left on device")) << waiter.output();
  Stopwatch again;
  waiter.send(SIGTERM);
  EXPECT_EQ(waiter.await_exit(), 128 + SIGTERM) << waiter.output();
  EXPECT_LT(again.elapsed(), Milliseconds(2000)) << waiter.output();

  Process& patient = on_full_disk({"peer"});
  ASSERT_TRUE(patient.await_output("No space left on device")) << patient.output();
  Process& room = start({"nsenter", "--mount=/proc/" + std::to_string(patient.id()) + "/ns/mnt",
                         "rm", path("state/filler")});
  EXPECT_EQ(room.await_exit(), 0) << room.output();
  EXPECT_TRUE(patient.await_output("is in the group")) << patient.output();
  EXPECT_TRUE(patient.output().find("is available again") != std::string::npos);
  leave(patient);
}

/// The leases outlast the test.
TEST_F(RegisterEdgesTest, OnAFullDiskWhoEvictsIsToldThatTheMemberIsStillThere) {
  const std::string script =
      "mkdir -p $XDG_STATE_HOME && mount -t tmpfs -o size=256k,mode=700 conch $XDG_STATE_HOME && "
      "{ members() { $0 status --json 2>/dev/null | grep -c '\"answers\": true'; }; "
      "$0 peer --lease 60s & until [ \"$(members)\" = 1 ]; do sleep 0.05; done; "
      "$0 peer & until [ \"$(members)\" = 2 ]; do sleep 0.05; done; "
      "id=$($0 status --json | grep -o '\"asked\": \"[0-9a-f]*' | cut -d'\"' -f4); "
      "dd if=/dev/zero of=$XDG_STATE_HOME/filler bs=4k 2>/dev/null; exec $0 evict $id; }";
  Words all = in_namespace_;
  all.insert(all.end(), {"--mount", "sh", "-c", script, CONCH_COMMAND});
  Process& evicting = start(all);
  int status = evicting.await_exit();
  const std::string& said = evicting.output();
  if (said.find("mount:") != std::string::npos) GTEST_SKIP() << said;
  EXPECT_EQ(status, 1) << said;
  EXPECT_NE(said.find(" is still a member after 10 s"), std::string::npos) << said;
  EXPECT_NE(said.find("No space left on device"), std::string::npos) << said;
}

// The clock.

TEST_F(RegisterEdgesTest, APeerInAnotherTimeNamespaceSeesTheSameLeases) {
  auto in_time_namespace = [&](const std::string& offset, Words words) -> Process& {
    Words all = in_namespace_;
    all.insert(all.end(),
               {"--time", "--boottime", offset, "--fork", "--kill-child", CONCH_COMMAND});
    all.insert(all.end(), words.begin(), words.end());
    return start(all);
  };
  Process& probe = in_time_namespace("7", {"--version"});
  if (probe.await_exit() != 0) GTEST_SKIP() << "no time namespaces here: " << probe.output();
  for (std::string offset : {"100000", "-100"}) {
    Process& here = holder_of("deploy");
    Process& other = in_time_namespace(offset, {"lock", "deploy", "--try", "--", "true"});
    EXPECT_EQ(other.await_exit(), 75) << other.output();
    expect_end(here);
    Process& there = in_time_namespace(
        offset, {"lock", "deploy", "--", "sh", "-c", "echo in $CONCH_FENCE; cat"});
    ASSERT_TRUE(there.await_output("in ")) << there.output();
    EXPECT_EQ(run({"lock", "deploy", "--try", "--", "true"}).status, 75);
    Process& next = waiter_for("deploy");
    expect_end(there);
    expect_in(next);
    EXPECT_GT(fence_in(next), fence_in(there));
    expect_end(next);
  }
}

}  // namespace conch::register_edges_test
