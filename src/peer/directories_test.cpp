#include "peer/directories.hpp"

#include <gtest/gtest.h>
#include <pwd.h>
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
#include <thread>

#include "net/dial.hpp"
#include "net/private_folder.hpp"
#include "register/directory.hpp"
#include "register/testing/scratch.hpp"

namespace conch::peer::directories_test {

namespace fs = std::filesystem;

/// Sets environment variables, and restores them at the end.
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
  /// The socket's file stays when its descriptor is closed.
  static net::Descriptor make_socket(const std::string& path) {
    net::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    net::PrivateFolder folder(net::folder_of(path), 0);
    std::string name = folder.path_to(net::file_of(path));
    std::strncpy(address.sun_path, name.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return socket;
  }

  ScratchFolder scratch;
  Environment environment;
};

TEST_F(DirectoriesTest, TheEnvironmentSaysWhere) {
  Directories found = directories_of("ci");
  EXPECT_EQ(found.state, at("home/.local/state/conch/ci"));
  EXPECT_EQ(found.sockets, found.state + "/sockets/" + net::LocalHost().boot());
  environment.set("XDG_STATE_HOME", at("state"));
  EXPECT_EQ(directories_of("ci").state, at("state/conch/ci"));
  environment.set("XDG_STATE_HOME", "relative");
  EXPECT_EQ(directories_of("ci").state, found.state);
  EXPECT_FALSE(fs::exists(at("home"))) << "asking makes nothing";
}

/// XDG_RUNTIME_DIR differs between a login shell and cron, which has none.
TEST_F(DirectoriesTest, SocketsAreWithTheRegisterWhateverTheRuntimeDirectoryIs) {
  std::string sockets = directories_of("ci").sockets;
  for (const std::optional<std::string>& runtime :
       {std::optional(at("run")), std::optional(at("another")), std::optional<std::string>()}) {
    environment.set("XDG_RUNTIME_DIR", runtime);
    EXPECT_EQ(directories_of("ci").sockets, sockets);
  }
}

TEST_F(DirectoriesTest, WithoutHomeInTheEnvironmentTheUserDatabaseIsAsked) {
  environment.set("HOME", std::nullopt);
  environment.set("XDG_STATE_HOME", "");
  const passwd* user = ::getpwuid(::geteuid());
  if (!user) {
    EXPECT_NE(complaint([] { directories_of("ci"); }).find("set HOME or XDG_STATE_HOME"),
              std::string::npos);
  } else {
    EXPECT_EQ(directories_of("ci").state, std::string(user->pw_dir) + "/.local/state/conch/ci");
  }
  EXPECT_EQ(directories_of("ci", at("there")).state, at("there/ci"));
}

TEST_F(DirectoriesTest, AChoiceStandsAboveTheEnvironment) {
  Directories made = make_directories("ci", at("a/b"));
  EXPECT_EQ(made.state, at("a/b/ci"));
  EXPECT_TRUE(fs::is_directory(made.sockets));
  EXPECT_NE(make_directories("other", at("a/b")).sockets, made.sockets);
}

TEST_F(DirectoriesTest, WhatIsMadeIsPrivate) {
  Directories made = make_directories("ci");
  for (const std::string& path : {made.sockets, made.state, at("home/.local")})
    EXPECT_EQ(mode_of(path), 0700u) << path;
  EXPECT_EQ(make_directories("ci").sockets, made.sockets) << "and may be there before";
}

TEST_F(DirectoriesTest, WhatOthersCanReadIsRefused) {
  Directories made = make_directories("ci");
  for (const std::string& path :
       {made.sockets, made.state + "/sockets", made.state, at("home/.local/state/conch")}) {
    ::chmod(path.c_str(), 0750);
    std::string why = path + " is open to other users, who could take or forge locks; chmod 700 it";
    EXPECT_EQ(complaint([] { make_directories("ci"); }), why);
    EXPECT_EQ(complaint([] { check_directories("ci"); }), why);
    ::chmod(path.c_str(), 0700);
  }
  EXPECT_EQ(complaint([] { make_directories("ci"); }), "");
  EXPECT_EQ(complaint([] { check_directories("ci"); }), "");
}

TEST_F(DirectoriesTest, WhatIsBelowADirectoryThatAllCanWriteIsRefused) {
  fs::create_directories(at("home"));
  ::chmod(at("home").c_str(), 0777);
  for (auto* deed : {+[] { check_directories("ci"); }, +[] { make_directories("ci"); }})
    EXPECT_NE(complaint(deed).find(at("home") + " can be written by every user"),
              std::string::npos);
  EXPECT_TRUE(fs::is_empty(at("home")));
}

TEST_F(DirectoriesTest, ASymbolicLinkIsRefused) {
  fs::create_directories(at("home/.local/state"));
  fs::create_directory(at("elsewhere"));
  ::chmod(at("elsewhere").c_str(), 0700);
  fs::create_directory_symlink(at("elsewhere"), at("home/.local/state/conch"));
  EXPECT_NE(complaint([] { make_directories("ci"); }).find("symbolic link"), std::string::npos);
}

TEST_F(DirectoriesTest, AFileInItsPlaceIsRefused) {
  fs::create_directories(at("home/.local/state"));
  std::ofstream(at("home/.local/state/conch")) << "something";
  EXPECT_NE(complaint([] { make_directories("ci"); }).find("is not a directory"),
            std::string::npos);
}

TEST_F(DirectoriesTest, AnotherUsersIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives directories away";
  Directories made = make_directories("ci");
  ASSERT_EQ(::chown(made.sockets.c_str(), 12345, 0), 0);
  EXPECT_EQ(complaint([] { make_directories("ci"); }),
            made.sockets + " belongs to user 12345, this is user 0; choose another directory");
}

TEST_F(DirectoriesTest, ABadGroupHasNoDirectories) {
  EXPECT_NE(complaint([] { directories_of("../x"); }), "");
  EXPECT_NE(complaint([] { make_directories(""); }), "");
  EXPECT_FALSE(fs::exists(at("home")));
}

/// Two machines may share a home directory; each leaves the other's files alone.
TEST_F(DirectoriesTest, OnlyFormerBootsOfThisMachineAreForgotten) {
  std::string sockets = make_directories("ci").sockets;
  fs::path beside = fs::path(sockets).parent_path();
  for (const char* boot : {"former", "other", "nobody"}) fs::create_directories(beside / boot);
  make_socket(beside / "former/host.1.sock");
  make_socket(beside / "other/host.2.sock");
  std::ofstream(beside / "former/machine") << "this machine\n";
  std::ofstream(beside / "other/machine") << "another machine\n";
  std::ofstream(fs::path(sockets) / "machine") << "this machine\n";
  remove_former_boots(sockets, "this machine");
  EXPECT_FALSE(fs::exists(beside / "former"));
  EXPECT_TRUE(fs::exists(beside / "other/host.2.sock"));
  EXPECT_TRUE(fs::exists(beside / "nobody"));
  EXPECT_TRUE(fs::exists(sockets));
  EXPECT_EQ(sockets_in(sockets), std::vector<PeerSocket>{});
}

TEST_F(DirectoriesTest, SocketsHaveTheirRoleAndIdInTheirNames) {
  EXPECT_EQ(socket_path("/run/x", {SocketRole::host, NodeId{7}}), "/run/x/host.7.sock");
  EXPECT_EQ(socket_path("/run/x", {SocketRole::peer, NodeId{18446744073709551615u}}),
            "/run/x/peer.ffffffffffffffff.sock");
}

TEST_F(DirectoriesTest, SocketsAreFoundByTheirNames) {
  EXPECT_EQ(sockets_in(at("nowhere")), std::vector<PeerSocket>{});
  std::string folder = make_directories("ci").sockets;
  const std::vector<PeerSocket> sockets{
      {SocketRole::host, NodeId{9}}, {SocketRole::peer, NodeId{3}}, {SocketRole::peer, NodeId{20}}};
  for (const PeerSocket& one : sockets) make_socket(socket_path(folder, one));
  for (const char* name :
       {"host.sock", "peer.x.sock", "peer.07.sock", "peer.7.sock.old", "guest.7.sock"})
    make_socket(folder + "/" + name);
  std::ofstream(folder + "/host.5.sock") << "a file";
  EXPECT_EQ(sockets_in(folder), sockets);
}

TEST_F(DirectoriesTest, SocketsBehindWhichNobodyIsAreRemoved) {
  std::string folder = make_directories("ci").sockets;
  const PeerSocket open{SocketRole::host, NodeId{1}};
  net::Descriptor living = make_socket(socket_path(folder, open));
  make_socket(socket_path(folder, {SocketRole::host, NodeId{2}}));
  make_socket(socket_path(folder, {SocketRole::peer, NodeId{3}}));
  make_socket(folder + "/peer.4.soc~");
  std::ofstream(folder + "/note") << "no socket";
  remove_abandoned_sockets(folder);
  EXPECT_EQ(sockets_in(folder), std::vector<PeerSocket>{open});
  EXPECT_FALSE(fs::exists(folder + "/peer.4.soc~"));
  EXPECT_TRUE(fs::exists(folder + "/note"));
  EXPECT_EQ(::listen(living.number(), 1), 0);
  remove_abandoned_sockets(folder);
  EXPECT_EQ(sockets_in(folder), std::vector<PeerSocket>{open});
}

TEST_F(DirectoriesTest, SocketsThatCannotBeListedAreNotNone) {
  std::ofstream(at("file")) << "something";
  EXPECT_NE(complaint([&] { sockets_in(at("file")); }).find("is not a directory"),
            std::string::npos);
}

TEST_F(DirectoriesTest, AMachineRemembersWhereItHasJoined) {
  std::string state = make_directories("group", at("state")).state;
  EXPECT_EQ(elsewhere(state), "");
  note_elsewhere(state, {"--join alpha:1", "--join beta:2"});
  EXPECT_EQ(elsewhere(state), "--join alpha:1 --join beta:2");
}

TEST(Directories, WhereAGroupIsElsewhereIsNeverReadInPart) {
  ScratchFolder scratch;
  note_elsewhere(scratch.path(), {"--join a:1"});
  std::jthread writer([&](const std::stop_token& asked) {
    while (!asked.stop_requested()) note_elsewhere(scratch.path(), {"--join a:1"});
  });
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(elsewhere(scratch.path()), "--join a:1");
}

}  // namespace conch::peer::directories_test
