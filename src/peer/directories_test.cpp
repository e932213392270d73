#include "peer/directories.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <conch/error.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

#include "register/directory.hpp"
#include "register/testing/scratch.hpp"

namespace conch::peer::directories_test {

namespace fs = std::filesystem;

/// Sets variables of the environment, and sets them back.
class Environment {
 public:
  ~Environment() {
    for (const auto& [name, value] : before_) put(name, value);
  }
  void set(const std::string& name, const std::optional<std::string>& value) {
    const char* now = std::getenv(name.c_str());
    before_.try_emplace(name, now ? std::optional<std::string>(now) : std::nullopt);
    put(name, value);
  }

 private:
  static void put(const std::string& name, const std::optional<std::string>& value) {
    if (value)
      ::setenv(name.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name.c_str());
  }
  std::map<std::string, std::optional<std::string>> before_;
};

class DirectoriesTest : public testing::Test {
 protected:
  DirectoriesTest() {
    environment.set("XDG_RUNTIME_DIR", at("run"));
    environment.set("XDG_STATE_HOME", std::nullopt);
    environment.set("HOME", at("home"));
  }
  std::string at(const std::string& name) const { return scratch.path() + "/" + name; }
  static std::string complaint(const std::function<void()>& deed) {
    try {
      deed();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  static unsigned mode_of(const std::string& path) {
    struct stat found {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 0777u;
  }
  /// Its file stays when it is closed.
  static file::Descriptor make_socket(const std::string& path) {
    file::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return socket;
  }

  ScratchDirectory scratch;
  Environment environment;
};

TEST_F(DirectoriesTest, TheEnvironmentSaysWhere) {
  Directories found = directories_of("ci");
  EXPECT_EQ(found.runtime, at("run/conch/ci"));
  EXPECT_EQ(found.state, at("home/.local/state/conch/ci"));
  environment.set("XDG_STATE_HOME", at("state"));
  EXPECT_EQ(directories_of("ci").state, at("state/conch/ci"));
  EXPECT_FALSE(fs::exists(at("run"))) << "asking makes nothing";
}

TEST_F(DirectoriesTest, WithoutARuntimeDirectoryThereIsTmp) {
  std::string in_tmp = "/tmp/conch-" + std::to_string(::geteuid()) + "/ci";
  environment.set("XDG_RUNTIME_DIR", std::nullopt);
  EXPECT_EQ(directories_of("ci").runtime, in_tmp);
  environment.set("XDG_RUNTIME_DIR", "relative");
  EXPECT_EQ(directories_of("ci").runtime, in_tmp);
}

TEST_F(DirectoriesTest, WithoutAHomeThereIsNoState) {
  environment.set("HOME", std::nullopt);
  environment.set("XDG_STATE_HOME", "");
  EXPECT_NE(complaint([] { directories_of("ci"); }).find("set HOME or XDG_STATE_HOME"),
            std::string::npos);
  EXPECT_EQ(directories_of("ci", {"", at("there")}).state, at("there/ci"));
}

TEST_F(DirectoriesTest, AChoiceStandsAboveTheEnvironment) {
  Directories made = make_directories("ci", {at("a/b"), at("c")});
  EXPECT_EQ(made.runtime, at("a/b/ci"));
  EXPECT_EQ(made.state, at("c/ci"));
  EXPECT_TRUE(fs::is_directory(made.runtime));
  EXPECT_TRUE(fs::is_directory(made.state));
  EXPECT_NE(make_directories("other", {at("a/b"), at("c")}).runtime, made.runtime);
}

TEST_F(DirectoriesTest, WhatIsMadeIsPrivate) {
  Directories made = make_directories("ci");
  for (const std::string& path : {made.runtime, made.state, at("run/conch"), at("home/.local")})
    EXPECT_EQ(mode_of(path), 0700u) << path;
  EXPECT_EQ(make_directories("ci").runtime, made.runtime) << "and may be there before";
}

TEST_F(DirectoriesTest, WhatOthersCanReadIsRefused) {
  Directories made = make_directories("ci");
  for (const std::string& path : {made.runtime, made.state, at("run/conch")}) {
    ::chmod(path.c_str(), 0750);
    EXPECT_EQ(complaint([] { make_directories("ci"); }),
              path + " is open to other users, who could take or forge locks; chmod 700 it");
    ::chmod(path.c_str(), 0700);
  }
  EXPECT_EQ(complaint([] { make_directories("ci"); }), "");
}

TEST_F(DirectoriesTest, ASymbolicLinkIsRefused) {
  fs::create_directories(at("run"));
  fs::create_directory(at("elsewhere"));
  ::chmod(at("elsewhere").c_str(), 0700);
  fs::create_directory_symlink(at("elsewhere"), at("run/conch"));
  EXPECT_NE(complaint([] { make_directories("ci"); }).find("symbolic link"), std::string::npos);
}

TEST_F(DirectoriesTest, AFileInItsPlaceIsRefused) {
  fs::create_directories(at("run"));
  std::ofstream(at("run/conch")) << "something";
  EXPECT_NE(complaint([] { make_directories("ci"); }).find("is not a directory"),
            std::string::npos);
}

TEST_F(DirectoriesTest, AnotherUsersIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives directories away";
  Directories made = make_directories("ci");
  ASSERT_EQ(::chown(made.runtime.c_str(), 12345, 0), 0);
  EXPECT_EQ(complaint([] { make_directories("ci"); }),
            made.runtime + " belongs to user 12345, this is user 0; choose another directory");
}

TEST_F(DirectoriesTest, ABadGroupHasNoDirectories) {
  EXPECT_NE(complaint([] { directories_of("../x"); }), "");
  EXPECT_NE(complaint([] { make_directories(""); }), "");
  EXPECT_FALSE(fs::exists(at("run")));
}

TEST_F(DirectoriesTest, SocketsHaveTheirRoleAndIdInTheirNames) {
  EXPECT_EQ(socket_path("/run/x", {Role::host, NodeId{7}}), "/run/x/host.7.sock");
  EXPECT_EQ(socket_path("/run/x", {Role::peer, NodeId{18446744073709551615u}}),
            "/run/x/peer.ffffffffffffffff.sock");
}

TEST_F(DirectoriesTest, APathThatTheKernelDoesNotTakeIsRefused) {
  Socket socket{Role::host, NodeId{7}};
  std::string longest(107 - std::string("/host.7.sock").size(), 'x');
  EXPECT_EQ(socket_path(longest, socket).size(), 107u);
  EXPECT_NE(complaint([&] {
              socket_path(longest + "x", socket);
            }).find("a path of 108 bytes, and the kernel takes 107; choose a shorter"),
            std::string::npos);
}

TEST_F(DirectoriesTest, SocketsAreFoundByTheirNames) {
  EXPECT_EQ(sockets_in(at("nowhere")), std::vector<Socket>{});
  std::string runtime = make_directories("ci").runtime;
  const std::vector<Socket> sockets{
      {Role::host, NodeId{9}}, {Role::peer, NodeId{3}}, {Role::peer, NodeId{20}}};
  for (const Socket& one : sockets) make_socket(socket_path(runtime, one));
  for (const char* name :
       {"host.sock", "peer.x.sock", "peer.07.sock", "peer.7.sock.old", "guest.7.sock"})
    make_socket(runtime + "/" + name);
  std::ofstream(runtime + "/host.5.sock") << "a file";
  EXPECT_EQ(sockets_in(runtime), sockets);
}

TEST_F(DirectoriesTest, SocketsBehindWhichNobodyIsAreRemoved) {
  std::string runtime = make_directories("ci").runtime;
  const Socket open{Role::host, NodeId{1}};
  file::Descriptor living = make_socket(socket_path(runtime, open));
  make_socket(socket_path(runtime, {Role::host, NodeId{2}}));
  make_socket(socket_path(runtime, {Role::peer, NodeId{3}}));
  make_socket(runtime + "/peer.4.soc~");
  std::ofstream(runtime + "/note") << "no socket";
  remove_abandoned_sockets(runtime);
  EXPECT_EQ(sockets_in(runtime), std::vector<Socket>{open});
  EXPECT_FALSE(fs::exists(runtime + "/peer.4.soc~"));
  EXPECT_TRUE(fs::exists(runtime + "/note"));
  EXPECT_EQ(::listen(living.number(), 1), 0);
  remove_abandoned_sockets(runtime);
  EXPECT_EQ(sockets_in(runtime), std::vector<Socket>{open});
}

TEST_F(DirectoriesTest, SocketsThatCannotBeListedAreNotNone) {
  std::ofstream(at("file")) << "something";
  EXPECT_NE(complaint([&] { sockets_in(at("file")); }).find("cannot be listed"), std::string::npos);
}

TEST_F(DirectoriesTest, AMachineRemembersWhereItHasJoined) {
  std::string state = make_directories("group", {at("run"), at("state")}).state;
  EXPECT_EQ(elsewhere(state), "");
  note_elsewhere(state, {"--join alpha:1", "--join beta:2"});
  EXPECT_EQ(elsewhere(state), "--join alpha:1 --join beta:2");
}

}  // namespace conch::peer::directories_test
