// Unix sockets: where they may be, which users may own them, and what happens if one is removed.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <future>

#include "net/client_link.hpp"
#include "net/dial.hpp"
#include "net/names.hpp"
#include "net/private_folder.hpp"
#include "net/testing/station.hpp"

namespace conch::net::testing::local_socket_test {

namespace fs = std::filesystem;

constexpr uid_t stranger = 65534;

/// A process of another user that listens at a path, until this object is destroyed.
class Impostor {
 public:
  explicit Impostor(const std::string& path) {
    std::array<int, 2> ready{};
    if (::pipe(ready.data()) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) ::_exit(listen(path, ready[1]));
    ::close(ready[1]);
    char byte = 0;
    listens_ = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  ~Impostor() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  bool listens() const { return listens_; }

 private:
  static int listen(const std::string& path, int ready) {
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    auto name = name_of_path(path);
    bool listens = ::setuid(stranger) == 0 &&
                   ::bind(socket.number(), name->get(), name->size()) == 0 &&
                   ::listen(socket.number(), 5) == 0;
    if (!listens || ::write(ready, "!", 1) != 1) return 1;
    for (;;) ::pause();
  }

  pid_t process_ = 0;
  bool listens_ = false;
};

class LocalSockets : public Group {
 protected:
  std::string complaint(const std::string& path) const {
    try {
      ClientLink link(path, "kitchen", steady_now() + patience);
    } catch (const Untrusted& error) {
      return error.what();
    }
    return "";
  }
  static std::string address(const std::string& path) {
    return "unix:" + LocalHost().boot() + ":" + path;
  }
  static TestTransportOptions at(TestTransportOptions options, const std::string& path) {
    options.socket = path;
    options.listen.clear();
    return options;
  }
  static bool talk(Station& a, Station& b) {
    a.transport.send(b.self, "hello");
    return settle({&a, &b}, [&] { return !b.received.empty(); });
  }
};

TEST_F(LocalSockets, MayHaveLongerPathsThanTheKernelTakes) {
  std::string part(100, 'x');
  std::string long_folder = folder.file(part + "/" + part + "/" + part);
  PrivateFolder made(long_folder, 3, Missing::make);
  Station a(at(options(1), long_folder + "/1.sock"));
  Station b(at(options(2), long_folder + "/2.sock"));
  a.transport.know(b.self, b.transport.address());
  EXPECT_TRUE(talk(a, b)) << a.log();
  EXPECT_TRUE(a.transport.is_local(b.self));
  auto link = std::async(std::launch::async, [&] {
    return ClientLink(long_folder + "/1.sock", "kitchen").descriptor();
  });
  EXPECT_TRUE(settle({&a}, [&] { return a.clients.size() == 1; })) << a.log();
  EXPECT_GE(link.get(), 0);
}

/// One peer has the folder mounted or linked elsewhere than the other.
TEST_F(LocalSockets, AreFoundUnderAnotherPathOfTheSameFolder) {
  PrivateFolder made(folder.file("real/own"), 1, Missing::make);
  fs::create_directory_symlink("real", folder.file("link"));
  Station a(at(options(1), folder.file("real/own/1.sock")));
  Station b(at(options(2), folder.file("link/own/2.sock")));
  a.transport.know(b.self, b.transport.address());
  EXPECT_TRUE(talk(a, b)) << a.log();
  EXPECT_TRUE(a.transport.is_local(b.self));
}

TEST_F(LocalSockets, AreNotDialedInAFolderThatIsOpenToOthers) {
  Station a(options(1));
  Station b(options(2));
  ::chmod(folder.file("").c_str(), 0755);
  EXPECT_NE(complaint(folder.file("1.sock")).find("is open to other users"), std::string::npos)
      << complaint(folder.file("1.sock"));
  a.transport.know(b.self, address(folder.file("2.sock")));
  a.transport.send(b.self, "secret");
  EXPECT_TRUE(settle({&a, &b}, [&] { return a.has_logged("is open to other users"); })) << a.log();
  EXPECT_TRUE(b.received.empty());
}

TEST_F(LocalSockets, AreNotMadeInAFolderThatIsOpenToOthers) {
  ::chmod(folder.file("").c_str(), 0755);
  EXPECT_THROW(Station{options(1)}, Untrusted);
}

TEST_F(LocalSockets, AreOfTheSameUser) {
  EXPECT_EQ(objection_to_process({7, 1000, 1000}, 1000), "");
  std::string why = objection_to_process({7, 1001, 1000}, 1000);
  EXPECT_TRUE(why.starts_with("process 7 of user 1001 listens there, and this is user 1000"))
      << why;
}

TEST_F(LocalSockets, OfAnotherUserAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  Station a(options(1));
  std::string socket = folder.file("2.sock");
  ::chmod(folder.file("").c_str(), 0777);
  Impostor impostor(socket);
  ::chmod(folder.file("").c_str(), 0700);
  ASSERT_TRUE(impostor.listens());
  std::string why = "of user 65534 listens there, and this is user 0: not a peer of this user";
  EXPECT_NE(complaint(socket).find(why), std::string::npos) << complaint(socket);
  a.transport.know(life(2), address(socket));
  a.transport.send(life(2), "secret");
  EXPECT_TRUE(settle({&a}, [&] { return a.has_logged(why); })) << a.log();
  EXPECT_FALSE(a.transport.is_local(life(2)));
  EXPECT_THROW(ask_who(address(socket), "kitchen", {}, patience), Untrusted);
}

TEST_F(LocalSockets, ThatSomebodyRemovedAreMadeAgain) {
  PrivateFolder made(folder.file("own"), 1, Missing::make);
  Station a(at(options(1), folder.file("own/1.sock")));
  EXPECT_TRUE(a.transport.has_socket_file());
  fs::remove_all(folder.file("own"));
  EXPECT_FALSE(a.transport.has_socket_file());
  EXPECT_THROW(a.transport.listen_again(), Error) << "its folder is somebody else's to make";
  EXPECT_FALSE(a.transport.has_socket_file());

  PrivateFolder again(folder.file("own"), 1, Missing::make);
  a.transport.listen_again();
  EXPECT_TRUE(a.transport.has_socket_file());
  Station b(at(options(2), folder.file("own/2.sock")));
  b.transport.know(a.self, a.transport.address());
  EXPECT_TRUE(talk(b, a)) << b.log();
}

}  // namespace conch::net::testing::local_socket_test
