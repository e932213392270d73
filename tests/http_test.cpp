// What `conch peer --http` shows, fetched as a scraper does.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "group_shell.hpp"

namespace conch {
namespace {

class PeerHttp : public GroupShell {
 protected:
  /// `127.0.0.1:PORT` of a peer that was started with --http.
  static std::string http_address(Process& peer) {
    const std::string& log = peer.output();
    std::string words = "http://";
    std::size_t begin = log.find(words) + words.size();
    return log.substr(begin, log.find_first_of(", \n", begin) - begin);
  }
  /// The whole answer.
  static std::string get(const std::string& address, const std::string& page) {
    int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    auto port = std::stoul(address.substr(address.rfind(':') + 1));
    name.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, "127.0.0.1", &name.sin_addr);
    EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    std::string request = "GET " + page + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    EXPECT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    std::string answer;
    std::array<char, 4096> bytes{};
    ssize_t size = 0;
    while ((size = ::recv(socket, bytes.data(), bytes.size(), 0)) > 0)
      answer.append(bytes.data(), static_cast<std::size_t>(size));
    ::close(socket);
    return answer;
  }
  static std::string body(const std::string& answer) {
    return answer.substr(answer.find("\r\n\r\n") + 4);
  }
  static std::string metrics(Process& peer) { return body(get(http_address(peer), "/metrics")); }
};

TEST_F(PeerHttp, ShowsMetrics) {
  Process& one = ready_peer({"--http", "127.0.0.1:0"});
  Process& two = ready_peer({"--http", "127.0.0.1:0"});
  EXPECT_TRUE(get(http_address(one), "/metrics").starts_with("HTTP/1.1 200 OK\r\n"));
  Process& holder = holder_of("deploy");
  Process& waiter = waiter_for("deploy");
  std::string both = metrics(one) + metrics(two);
  EXPECT_NE(both.find("\nconch_locks_held 1\n"), std::string::npos) << both;
  EXPECT_NE(both.find("\nconch_locks_waiting 1\n"), std::string::npos) << both;
  EXPECT_NE(both.find("\nconch_members 2\n"), std::string::npos) << both;
  expect_end(holder);
  expect_in(waiter);
  expect_end(waiter);
  EXPECT_TRUE(await([&] {
    std::string text = metrics(one) + metrics(two);
    return text.find("conch_hold_seconds_count 0\n") == std::string::npos ||
           text.find("conch_hold_seconds_count 2\n") != std::string::npos;
  }));
  std::ofstream(path("metrics")) << metrics(one);
  Process promtool({"sh", "-c",
                    "command -v promtool >/dev/null || { echo none; exit 0; }; "
                    "promtool check metrics < " +
                        path("metrics") + " && echo fine"});
  EXPECT_EQ(promtool.await_exit(), 0) << promtool.output() << text_of(path("metrics"));
  if (promtool.output() == "none\n") GTEST_SKIP() << "there is no promtool (Debian: prometheus)";
  EXPECT_EQ(promtool.output(), "fine\n") << text_of(path("metrics"));
}

TEST_F(PeerHttp, ShowsTheStatusOfAll) {
  Process& one = ready_peer({"--http", "127.0.0.1:0"});
  ready_peer();
  json shown = json::parse(body(get(http_address(one), "/status")));
  json told = status();
  EXPECT_EQ(shown["members"].size(), 2u);
  EXPECT_EQ(shown["view"], told["view"]);
  EXPECT_EQ(shown["members"][0]["id"], told["members"][0]["id"]);
  EXPECT_EQ(shown["asked"], member_of(shown, one.id())["id"]);
  EXPECT_TRUE(member_of(shown, one.id())["epochs"].get<int>() > 0) << shown;
  EXPECT_TRUE(body(get(http_address(one), "/")).starts_with("<!doctype html>"));
  leave(one);
}

TEST_F(PeerHttp, WhereItWillNotListen) {
  Process& one = ready_peer({"--http", "127.0.0.1:0"});
  Outcome taken = run({"peer", "--http", http_address(one)});
  EXPECT_EQ(taken.status, 1) << taken.out;
  EXPECT_TRUE(taken.says("--http: cannot listen on 127.0.0.1:")) << taken.out;
  Outcome open = run({"peer", "--http", "0.0.0.0:0"});
  EXPECT_EQ(open.status, 1) << open.out;
  EXPECT_TRUE(open.says("--http: will not listen on 0.0.0.0:0: ")) << open.out;
  Outcome nonsense = run({"peer", "--http", "nonsense"});
  EXPECT_EQ(nonsense.status, 1) << nonsense.out;
  EXPECT_TRUE(nonsense.says("host:port")) << nonsense.out;
}

}  // namespace
}  // namespace conch
