// Tests the sockets at which peers of one machine find each other: in any environment, and of one
// user alone.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "group_shell.hpp"

namespace conch::sockets_test {

namespace fs = std::filesystem;

constexpr uid_t stranger = 65534;

class SocketsTest : public GroupShell {
 protected:
  ~SocketsTest() override { ::unsetenv("XDG_RUNTIME_DIR"); }

  /// Sets the variable as a login shell has it; cron has another one, or none.
  static void set_runtime_directory(const std::string& path) {
    ::setenv("XDG_RUNTIME_DIR", path.c_str(), 1);
  }
  static bool can_become_another_user() {
    return Child([] { return ::setuid(stranger); }).await_exit() == 0;
  }
  static Outcome try_lock() { return run({"lock", "deploy", "--try", "--", "true"}); }
  static std::size_t members() { return status()["members"].size(); }
  static void expect_well(const std::string& what) {
    Outcome doctor = run({"doctor"});
    EXPECT_EQ(doctor.status, 0) << doctor.out;
    EXPECT_TRUE(doctor.says(what)) << doctor.out;
  }
  /// Expects that every command refuses what it finds and says why.
  static void expect_refused(const std::string& why) {
    for (const Words& words :
         {Words{"lock", "deploy", "--", "true"}, Words{"status"}, Words{"doctor"}, Words{"peer"}}) {
      Outcome outcome = run(words);
      EXPECT_NE(outcome.status, 0) << words.front() << ": " << outcome.out;
      EXPECT_TRUE(outcome.says(why)) << words.front() << ": " << outcome.out;
    }
  }
  std::string socket_folder() const {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string boot;
    file >> boot;
    return path("state/conch/default/sockets/") + boot;
  }
};

TEST_F(SocketsTest, TwoRuntimeDirectoriesAreOneGroup) {
  set_runtime_directory(path("login"));
  Process& holder = holder_of("deploy");
  for (const char* other : {"cron", "another"}) {
    set_runtime_directory(path(other));
    Outcome outcome = try_lock();
    EXPECT_EQ(outcome.status, 75) << outcome.out;
    EXPECT_LT(outcome.took, Milliseconds(5000));
    EXPECT_EQ(members(), 1u);
    expect_well(" answers in ");
  }
  Process& waiter = waiter_for("deploy");
  expect_end(holder);
  expect_in(waiter);
  expect_end(waiter);
}

TEST_F(SocketsTest, AnEnvironmentLikeCronsIsInTheGroup) {
  ::unsetenv("XDG_STATE_HOME");
  ::setenv("HOME", path("home").c_str(), 1);
  set_runtime_directory(path("login"));
  ready_peer();
  Process& holder = holder_of("deploy");
  auto from_cron = [&](Words words) {
    Words all{"env", "-i", "HOME=" + path("home"), "PATH=/usr/bin:/bin", CONCH_COMMAND};
    all.insert(all.end(), words.begin(), words.end());
    Process& process = start(all);
    int status = process.await_exit();
    return Outcome{status, process.output()};
  };
  EXPECT_EQ(from_cron({"lock", "deploy", "--try", "--", "true"}).status, 75);
  EXPECT_TRUE(from_cron({"status"}).says("deploy"));
  EXPECT_TRUE(from_cron({"doctor"}).says(" answers in "));
  expect_end(holder);
  EXPECT_EQ(from_cron({"lock", "deploy", "--try", "--", "true"}).status, 0);
}

TEST_F(SocketsTest, ALongHomeIsNoObstacle) {
  std::string part(150, 'h');
  Elsewhere home(path(part + "/" + part));
  ready_peer();
  Process& holder = holder_of("deploy");
  EXPECT_EQ(try_lock().status, 75);
  EXPECT_EQ(members(), 1u);
  expect_end(holder);
}

TEST_F(SocketsTest, AFolderThatIsRemovedUnderAPeerIsMadeAgain) {
  Process& host = ready_peer();
  Process& holder = holder_of("deploy");
  fs::remove_all(path("state/conch/default/sockets"));
  EXPECT_TRUE(host.await_output("created it again")) << host.output();
  EXPECT_EQ(try_lock().status, 75) << "it is found, and still has the lock for its client";
  EXPECT_EQ(members(), 1u);
  ready_peer();
  EXPECT_EQ(members(), 2u);
  expect_end(holder);
  EXPECT_EQ(try_lock().status, 0);
  std::string said = host.output();
  EXPECT_EQ(said.find("created it again"), said.rfind("created it again")) << said;
}

TEST_F(SocketsTest, APeerIsFoundInTheMomentAfterItsFolderWasRemoved) {
  Process& host = ready_peer({"--lease", "60s"});  // it checks its socket once a second
  Process& holder = holder_of("deploy");
  fs::remove_all(path("state/conch/default/sockets"));
  EXPECT_TRUE(run({"status"}).says("deploy: held by"));
  fs::remove_all(path("state/conch/default/sockets"));
  EXPECT_EQ(try_lock().status, 75);
  EXPECT_EQ(members(), 1u) << "nobody has come in beside it";
  expect_end(holder);
  leave(host);
}

TEST_F(SocketsTest, APeerThatHasLostItsStateDirectoryIsNamed) {
  Process& host = ready_peer();
  fs::remove_all(path("state/conch/default"));
  Outcome outcome = run({"status"});
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_TRUE(outcome.says("process " + std::to_string(host.id()) + "), but cannot be reached"))
      << outcome.out;
  EXPECT_LT(outcome.took, Milliseconds(10'000));
}

TEST_F(SocketsTest, WhatIsOpenToOthersIsRefused) {
  leave(ready_peer());
  ::chmod(path("state/conch/default").c_str(), 0755);
  expect_refused(path("state/conch/default") + " is open to other users");
  ::chmod(path("state/conch/default").c_str(), 0700);
  ::chmod(path("state").c_str(), 0777);
  expect_refused(path("state") + " can be written by every user");
  ::chmod(path("state").c_str(), 0700);
  EXPECT_EQ(try_lock().status, 0);
}

/// The folder is writable by all, as /tmp is.
TEST_F(SocketsTest, WhatAnotherUserMadeFirstIsRefused) {
  if (!can_become_another_user()) GTEST_SKIP() << "only root can become somebody else";
  ::chmod(scratch.path().c_str(), 0711);
  fs::create_directory(path("state"));
  ::chmod(path("state").c_str(), 01777);
  std::string theirs = path("state/conch");
  Child first([&] {
    if (::setuid(stranger) != 0) return 1;
    fs::create_directories(socket_folder());
    return 0;
  });
  ASSERT_EQ(first.await_exit(), 0);
  expect_refused(theirs + " belongs to user 65534, this is user 0; choose another directory");
}

/// The socket of another user is refused, no matter how it got there.
TEST_F(SocketsTest, ASocketBehindWhichAnotherUserIsIsRefused) {
  if (!can_become_another_user()) GTEST_SKIP() << "only root can become somebody else";
  leave(ready_peer());
  int folder = ::open(socket_folder().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::string file = "/proc/self/fd/" + std::to_string(folder) + "/host.1.sock";
  file.copy(name.sun_path, sizeof name.sun_path - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  Child impostor([&] {
    if (::setuid(stranger) != 0 || ::listen(listener, 5) != 0) return 1;
    ::pause();
    return 0;
  });
  // SO_PEERCRED names the process that called listen(2), so the impostor has to listen itself.
  auto is_refused = [&] { return run({"status"}).says("of user 65534 listens there"); };
  EXPECT_TRUE(await(is_refused)) << run({"status"}).out;
  for (const Words& words : {Words{"lock", "deploy", "--", "true"}, Words{"doctor"}}) {
    Outcome outcome = run(words);
    EXPECT_NE(outcome.status, 0) << outcome.out;
    EXPECT_TRUE(outcome.says("of user 65534 listens there, and this is user 0")) << outcome.out;
  }
  ::close(listener);
  ::close(folder);
}

/// Two machines share a home directory, as with NFS.
TEST_F(SocketsTest, AnotherMachineWithTheSameHomeIsLeftAlone) {
  std::string address;
  {
    Elsewhere there(path("there"));
    address = address_of(ready_peer({"--listen", "127.0.0.1:0"}));
  }
  std::ofstream(path("boot")) << "77777777-7777-4777-8777-777777777777\n";
  auto on_the_other = [&](const std::string& words) -> Process& {
    return start({"unshare", "-mu", "sh", "-c",
                  "hostname other && mount --bind $SCRATCH/boot /proc/sys/kernel/random/boot_id && "
                  "exec " +
                      words});
  };
  if (on_the_other("true").await_exit() != 0)
    GTEST_SKIP() << "no other machine can be made up here";
  Process& one = ready_peer({"--listen", "127.0.0.1:0", "--join", address});
  std::size_t sockets_of_one = sockets().size();
  Process& two = on_the_other(CONCH_COMMAND " peer --listen 127.0.0.1:0 --join " + address);
  ASSERT_TRUE(two.await_output("is in the group")) << two.output();
  EXPECT_EQ(sockets().size(), sockets_of_one + 1);
  EXPECT_EQ(try_lock().status, 0);
  EXPECT_EQ(on_the_other(CONCH_COMMAND " lock deploy --try -- true").await_exit(), 0);
  EXPECT_EQ(members(), 3u);
  two.send(SIGKILL);
  two.await_exit();
  EXPECT_EQ(sockets().size(), sockets_of_one + 1) << "it is for its own machine to remove";
  leave(one);
  EXPECT_EQ(sockets().size(), 1u);
}

}  // namespace conch::sockets_test
