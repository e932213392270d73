// Tests `conch peer` as a service of systemd. The test plays systemd and reads the peer's
// notifications.
#include "cli/systemd.hpp"

#include <gtest/gtest.h>

#include <conch/error.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "group_shell.hpp"

namespace conch::systemd_test {

using cli::Systemd;
using namespace std::chrono_literals;

/// Reads what services write to $NOTIFY_SOCKET.
class NotifySocket {
 public:
  /// `name` is a path, or `@name` for an abstract socket.
  explicit NotifySocket(std::string name) : name_(std::move(name)) {
    socket_ = net::Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    cli::NotifyAddress at = cli::notify_address(name_);
    if (::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&at.address), at.size) != 0)
      throw std::runtime_error("cannot bind " + name_);
  }

  const std::string& name() const { return name_; }
  /// The next datagram; empty if none comes in time.
  std::string next(Milliseconds within = patience) {
    if (!readable(socket_.number(), within)) return "";
    std::string text(4096, '\0');
    ssize_t size = ::recv(socket_.number(), text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }
  /// The next datagram with this beginning; earlier ones are dropped.
  std::string next_of(std::string_view beginning) {
    Stopwatch watch;
    while (watch.elapsed() < patience)
      if (std::string text = next(watch.left(patience)); text.starts_with(beginning)) return text;
    return "";
  }
  std::vector<std::string> rest() {
    std::vector<std::string> texts;
    while (readable(socket_.number(), 0ms)) texts.push_back(next(0ms));
    return texts;
  }

 private:
  std::string name_;
  net::Descriptor socket_;
};

class SystemdTest : public GroupShell {
 protected:
  /// Starts a peer in the way of systemd. The watchdog applies to the given process, or to the peer
  /// itself if `process` is 0.
  Process& service(const NotifySocket& socket, Milliseconds watchdog = 0ms, pid_t process = 0,
                   Words words = {}) {
    words.insert(words.begin(), {CONCH_COMMAND, "peer"});
    return services_.emplace_back(std::move(words), [&] {
      ::setenv("NOTIFY_SOCKET", socket.name().c_str(), 1);
      if (watchdog == 0ms) return;
      ::setenv("WATCHDOG_USEC", std::to_string(watchdog.count() * 1000).c_str(), 1);
      ::setenv("WATCHDOG_PID", std::to_string(process != 0 ? process : ::getpid()).c_str(), 1);
    });
  }
  ~SystemdTest() override { services_.clear(); }

 private:
  std::list<Process> services_;
};

TEST_F(SystemdTest, APeerIsReadyWhenItIsAdmittedAndSaysWhenItStops) {
  for (const std::string& name : {path("notify"), "@conch-test-" + std::to_string(::getpid())}) {
    NotifySocket socket(name);
    Process& peer = service(socket);
    std::string first = socket.next();
    EXPECT_TRUE(first.starts_with("READY=1\nSTATUS=peer ")) << first;
    EXPECT_NE(first.find(" is in the group default (naimi-trehel)"), first.npos) << first;
    EXPECT_FALSE(member_of(status(), peer.id()).is_null());
    peer.send(SIGTERM);
    EXPECT_EQ(socket.next(), "STOPPING=1\nSTATUS=leaving the group");
    EXPECT_EQ(peer.await_exit(), 0) << peer.output();
    EXPECT_EQ(socket.rest(), std::vector<std::string>{});
  }
}

TEST_F(SystemdTest, APeerThatIsNotAdmittedIsNotReady) {
  NotifySocket socket(path("notify"));
  Process& peer = service(socket, 0ms, 0, {"--join", "127.0.0.1:1"});
  EXPECT_EQ(peer.await_exit(60s), 1) << peer.output();
  EXPECT_EQ(socket.rest(), std::vector<std::string>{});
}

TEST_F(SystemdTest, APeerBeatsUntilItIsStopped) {
  NotifySocket socket(path("notify"));
  Process& peer = service(socket, 90ms);
  ASSERT_NE(socket.next_of("READY=1"), "") << peer.output();
  for (int beat = 0; beat < 5; ++beat) EXPECT_EQ(socket.next_of("WATCHDOG=1"), "WATCHDOG=1");
  peer.send(SIGSTOP);
  int status = 0;
  ASSERT_EQ(::waitpid(peer.id(), &status, WUNTRACED), peer.id());
  socket.rest();
  EXPECT_EQ(socket.next(300ms), "");
  peer.send(SIGCONT);
  EXPECT_EQ(socket.next_of("WATCHDOG=1"), "WATCHDOG=1");
}

TEST_F(SystemdTest, APeerDoesNotBeatForAnotherProcess) {
  NotifySocket socket(path("notify"));
  Process& peer = service(socket, 1ms, ::getpid());
  ASSERT_NE(socket.next_of("READY=1"), "") << peer.output();
  EXPECT_EQ(run({"lock", "a", "--", "true"}).status, 0);
  leave(peer);
  EXPECT_EQ(socket.rest(), std::vector<std::string>{"STOPPING=1\nSTATUS=leaving the group"});
}

TEST_F(SystemdTest, ThePeersStatusSaysWhetherItIsInItsGroup) {
  NotifySocket socket(path("notify"));
  Process& peer = service(socket);
  std::string ready = socket.next_of("READY=1");
  ready_peer();
  json member = member_of(status(), peer.id());
  ASSERT_FALSE(member.is_null());
  Outcome evicted = run({"evict", member["id"].get<std::string>()});
  EXPECT_EQ(evicted.status, 0) << evicted.out;
  EXPECT_EQ(socket.next(), "STATUS=was removed from its group, and rejoins it");
  EXPECT_EQ("READY=1\n" + socket.next(), ready);
}

TEST_F(SystemdTest, ASocketThatIsNoneDoesNotKeepAPeerFromItsWork) {
  for (const char* name : {"/nowhere/notify", "vsock:2:1234"}) {
    ::setenv("NOTIFY_SOCKET", name, 1);
    Process& process = ready_peer();
    ::unsetenv("NOTIFY_SOCKET");
    EXPECT_TRUE(process.await_output("cannot notify systemd")) << process.output();
    leave(process);
  }
}

TEST_F(SystemdTest, NoChildSpeaksForThePeer) {
  NotifySocket socket(path("notify"));
  ::setenv("NOTIFY_SOCKET", socket.name().c_str(), 1);
  ::setenv("WATCHDOG_USEC", "1000000", 1);
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  Systemd systemd([](const std::string& line) { ADD_FAILURE() << line; });
  EXPECT_EQ(systemd.watchdog(), Duration(1s));
  Process& child = start({"sh", "-c", "echo [$NOTIFY_SOCKET$WATCHDOG_USEC$WATCHDOG_PID]"});
  EXPECT_EQ(child.await_exit(), 0);
  EXPECT_EQ(child.output(), "[]\n");
  systemd.ready("a line\nof two");
  EXPECT_EQ(socket.next(), "READY=1\nSTATUS=a line of two");
}

TEST_F(SystemdTest, TheUnitHasNoMistakes) {
  Process& tool = start({"sh", "-c", "command -v systemd-analyze"});
  if (tool.await_exit() != 0) GTEST_SKIP() << "there is no systemd-analyze here";
  std::filesystem::copy_file("packaging/conch@.service", path("conch@orders.service"));
  Process& verify = start({"systemd-analyze", "verify", path("conch@orders.service")});
  EXPECT_EQ(verify.await_exit(), 0);
  EXPECT_EQ(verify.output(), "");
}

TEST(SystemdAddress, IsAPathOrTheNameOfAnAbstractSocket) {
  auto path = cli::notify_address("/run/systemd/notify");
  EXPECT_STREQ(path.address.sun_path, "/run/systemd/notify");
  EXPECT_EQ(path.size, offsetof(sockaddr_un, sun_path) + 20);
  auto abstract = cli::notify_address("@notify");
  EXPECT_EQ(std::string(abstract.address.sun_path, 7), std::string("\0notify", 7));
  EXPECT_EQ(abstract.size, offsetof(sockaddr_un, sun_path) + 7);
  EXPECT_NO_THROW(cli::notify_address("@" + std::string(107, 'x')));
  EXPECT_NO_THROW(cli::notify_address("/" + std::string(106, 'x')));
  for (const std::string& wrong :
       {std::string(), std::string("@"), std::string("/"), std::string("relative"),
        "/" + std::string(107, 'x'), "@" + std::string(108, 'x')})
    EXPECT_THROW(cli::notify_address(wrong), Error) << wrong;
}

TEST(SystemdWatchdog, IsForTheProcessThatIsNamed) {
  EXPECT_EQ(cli::watchdog_of(nullptr, nullptr, 7), std::nullopt);
  EXPECT_EQ(cli::watchdog_of(nullptr, "7", 7), std::nullopt);
  EXPECT_EQ(cli::watchdog_of("2000000", nullptr, 7), Duration(2s));
  EXPECT_EQ(cli::watchdog_of("2000000", "7", 7), Duration(2s));
  EXPECT_EQ(cli::watchdog_of("2000000", "8", 7), std::nullopt);
  EXPECT_EQ(cli::watchdog_of("0", nullptr, 7), std::nullopt);
  EXPECT_EQ(cli::watchdog_of("18446744073709551615", nullptr, 7), Duration(24h * 365));
  for (const char* wrong : {"", "soon", "-1", "1s"}) {
    EXPECT_THROW(cli::watchdog_of(wrong, nullptr, 7), Error) << wrong;
    EXPECT_THROW(cli::watchdog_of("1", wrong, 7), Error) << wrong;
  }
}

}  // namespace conch::systemd_test
