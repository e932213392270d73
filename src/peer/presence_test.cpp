#include "peer/presence.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <optional>
#include <set>

#include "register/testing/scratch.hpp"

namespace conch::peer::presence_test {

using Processes = std::vector<int>;

TEST(Presence, IsSeenAsLongAsItLivesWhateverBecomesOfTheDirectory) {
  ScratchFolder scratch;
  std::string state = scratch.path() + "/state";
  std::filesystem::create_directory(state);
  EXPECT_EQ(present(state), Processes{});
  {
    Presence one(state);
    Presence other(state);
    EXPECT_EQ(present(state), Processes{::getpid()});
    std::filesystem::remove(state);
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(seems_present(state));
    EXPECT_EQ(present(state), Processes{::getpid()});
    EXPECT_EQ(present(scratch.path()), Processes{}) << "that is another directory";
  }
  EXPECT_EQ(present(state), Processes{});
}

TEST(Presence, EndsWithItsProcess) {
  ScratchFolder scratch;
  Child child([&] {
    Presence here(scratch.path());
    ::raise(SIGSTOP);
    return 0;
  });
  ASSERT_TRUE(child.await_stop());
  EXPECT_EQ(present(scratch.path()).size(), 1u) << "who is stopped is not dead";
  child.send(SIGKILL);
  child.await_exit();
  EXPECT_EQ(present(scratch.path()), Processes{});
}

/// The abstract names that exist now.
std::set<std::string> names() {
  std::set<std::string> found;
  std::ifstream all("/proc/net/unix");
  for (std::string line; std::getline(all, line);)
    if (std::size_t at = line.find("@conch/"); at != std::string::npos)
      found.insert(line.substr(at + 1));
  return found;
}

/// Any user may take a name.
TEST(Presence, ThatAnotherUserPretendsDoesNotCount) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  ScratchFolder scratch;
  std::set<std::string> before = names();
  std::optional<Presence> here(scratch.path());
  std::set<std::string> meanwhile = names();
  here.reset();
  std::set<std::string> after = names();
  std::string name;
  for (const std::string& each : meanwhile)
    if (!before.contains(each) && !after.contains(each)) name = each;
  ASSERT_NE(name, "");
  Child child([&] {
    if (::setuid(65534) != 0) return 1;
    sockaddr_un address{AF_UNIX, {}};
    name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    int socket = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0) return 2;
    ::raise(SIGSTOP);
    return 0;
  });
  ASSERT_TRUE(child.await_stop());
  EXPECT_TRUE(seems_present(scratch.path()));
  EXPECT_EQ(present(scratch.path()), Processes{});
}

}  // namespace conch::peer::presence_test
