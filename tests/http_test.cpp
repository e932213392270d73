// Tests the pages of `conch peer --http`, fetched as a scraper does.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "group_shell.hpp"

namespace conch::http_test {

class PeerHttp : public GroupShell {
 protected:
  /// The address (`127.0.0.1:PORT`) of the pages of a peer that was started with --http.
  static std::string http_address(Process& peer) {
    const std::string& log = peer.output();
    std::string words = "http://";
    std::size_t begin = log.find(words) + words.size();
    return log.substr(begin, log.find_first_of(", \n", begin) - begin);
  }
  /// A connection to a peer's pages.
  class Call {
   public:
    Call(const std::string& address, const std::string& request)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
      sockaddr_in name{};
      name.sin_family = AF_INET;
      auto port = std::stoul(address.substr(address.rfind(':') + 1));
      name.sin_port = htons(static_cast<std::uint16_t>(port));
      ::inet_pton(AF_INET, "127.0.0.1", &name.sin_addr);
      EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
      EXPECT_EQ(::send(socket_, request.data(), request.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(request.size()));
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { ::close(socket_); }

    /// Reads until the answer contains these words or the server hangs up. Returns all that was
    /// read.
    const std::string& hear(std::string_view words) {
      std::array<char, 4096> bytes{};
      ssize_t size = 0;
      while (heard_.find(words) == std::string::npos &&
             (size = ::recv(socket_, bytes.data(), bytes.size(), 0)) > 0)
        heard_.append(bytes.data(), static_cast<std::size_t>(size));
      return heard_;
    }
    std::string hear_all() { return hear(std::string_view("\0", 1)); }

   private:
    int socket_;
    std::string heard_;
  };
  static std::string request_for(const std::string& page) {
    return "GET " + page + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  /// Fetches a page and returns the whole answer.
  static std::string get(const std::string& address, const std::string& page) {
    return Call(address, request_for(page)).hear_all();
  }
  static std::string post(const std::string& address, const std::string& page,
                          const std::string& token, const std::string& text) {
    std::string head = "POST " + page + " HTTP/1.1\r\nHost: " + address + "\r\nX-Conch: 1\r\n";
    head += "Authorization: Bearer " + token + "\r\n";
    head += "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n";
    return Call(address, head + text).hear_all();
  }
  static std::string code(const std::string& answer) { return answer.substr(9, 3); }
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
  Process& holder = holder_of("deploy");
  json shown = json::parse(body(get(http_address(one), "/status")));
  EXPECT_EQ(shown["processes"].size(), 1u);
  EXPECT_EQ(shown["processes"][0]["process"], holder.id());
  json told = status();
  EXPECT_EQ(shown["members"].size(), 2u);
  EXPECT_EQ(shown["view"], told["view"]);
  EXPECT_EQ(shown["members"][0]["id"], told["members"][0]["id"]);
  EXPECT_EQ(shown["asked"], member_of(shown, one.id())["id"]);
  EXPECT_TRUE(member_of(shown, one.id())["epochs"].get<int>() > 0) << shown;
  EXPECT_TRUE(body(get(http_address(one), "/")).starts_with("<!doctype html>"));
  leave(one);
}

TEST_F(PeerHttp, TellsWhatHappensAsItHappens) {
  Process& one = ready_peer({"--http", "127.0.0.1:0"});
  Call watcher(http_address(one), request_for("/events"));
  std::string begin = watcher.hear("\nevent: group\n");
  EXPECT_NE(begin.find("\nevent: hello\n"), std::string::npos) << begin;
  EXPECT_NE(begin.find("\"admin\":false"), std::string::npos) << begin;
  Process& holder = holder_of("deploy");
  std::string fence = std::to_string(fence_in(holder) >> 32) + ".1";
  watcher.hear("\"event\":\"enter\",\"lock\":\"deploy\",\"fence\":\"" + fence + "\"");
  watcher.hear("\"holders\":[{\"member\":");
  expect_end(holder);
  std::string all = watcher.hear("\"event\":\"exit\",\"lock\":\"deploy\"");
  EXPECT_NE(all.find("\"event\":\"request\",\"lock\":\"deploy\""), std::string::npos) << all;
  EXPECT_LT(all.find("\"event\":\"request\""), all.find("\"event\":\"enter\""));
  EXPECT_LT(all.find("\"event\":\"enter\""), all.find("\"event\":\"exit\""));
  leave(one);  // a viewer is still connected
}

TEST_F(PeerHttp, FindsLocks) {
  Process& one = ready_peer({"--http", "127.0.0.1:0"});
  holder_of("deploy");
  waiter_for("deploy");
  holder_of("backup/eu");
  holder_of("backup/us");
  auto names = [&](const std::string& query) {
    std::string text;
    json found = json::parse(body(get(http_address(one), "/locks?" + query)));
    for (const json& lock : found["locks"]) text += lock["lock"].get<std::string>() + " ";
    return std::to_string(found["found"].get<int>()) + ": " + text;
  };
  EXPECT_EQ(names("order=queue"), "3: deploy backup/eu backup/us ");
  EXPECT_EQ(names("order=name"), "3: backup/eu backup/us deploy ");
  EXPECT_EQ(names("order=age"), "3: deploy backup/eu backup/us ");
  EXPECT_EQ(names("order=name&from=1&count=1"), "3: backup/us ");
  EXPECT_EQ(names("from=99"), "3: ");
  EXPECT_EQ(names("find=CKUP%2F&order=name"), "2: backup/eu backup/us ");
  EXPECT_EQ(names("find=none"), "0: ");
  EXPECT_EQ(names("lock=deploy"), "1: deploy ");
  EXPECT_EQ(names("from=nonsense&count=-1&order=what&busy=1"), "3: deploy backup/eu backup/us ");
  json deploy = json::parse(body(get(http_address(one), "/locks?lock=deploy")))["locks"][0];
  EXPECT_EQ(deploy["queue"], 1);
  EXPECT_EQ(deploy["holders"].size(), 1u);
}

TEST_F(PeerHttp, WhoHasTheTokenForces) {
  std::ofstream(path("token")) << "0123456789abcdef\n";
  std::filesystem::permissions(path("token"), std::filesystem::perms::owner_read);
  Process& one = ready_peer({"--http", "127.0.0.1:0", "--http-token-file", path("token")});
  Process& other = ready_peer({"--http", "127.0.0.1:0"});
  std::string address = http_address(one);
  Process& holder = holder_of("deploy");
  std::string lock = R"({"lock":"deploy"})";
  std::string token = "0123456789abcdef";
  EXPECT_EQ(code(post(address, "/unlock", "0123456789abcdeF", lock)), "401");
  EXPECT_EQ(code(post(http_address(other), "/unlock", token, lock)), "403");
  for (const char* bad : {"", "{", "[]", "{}", R"({"lock":1})", R"({"lock":""})",
                          R"({"lock":"a","b":"c"})", R"({"lock":"a\u0000"})"})
    EXPECT_EQ(code(post(address, "/unlock", token, bad)), "400") << bad;
  EXPECT_EQ(code(post(address, "/evict", token, R"({"member":"x"})")), "400");
  EXPECT_EQ(code(post(address, "/evict", token, R"({"member":"1"})")), "409");
  EXPECT_EQ(holder.await_exit(Milliseconds(0)), still_running);  // nothing above has had an effect
  EXPECT_EQ(code(post(address, "/unlock", token, lock)), "200");
  EXPECT_NE(holder.await_exit(), 0) << holder.output();
  std::string id = member_of(status(), other.id())["id"];
  EXPECT_EQ(code(post(address, "/evict", token, R"({"member":")" + id + "\"}")), "200");
  EXPECT_TRUE(other.await_output("was evicted")) << other.output();
}

TEST_F(PeerHttp, ATokenThatOthersCouldRead) {
  std::ofstream(path("token")) << "0123456789abcdef\n";
  std::filesystem::permissions(path("token"), std::filesystem::perms::all);
  Outcome readable = run({"peer", "--http", "127.0.0.1:0", "--http-token-file", path("token")});
  EXPECT_EQ(readable.status, 1) << readable.out;
  EXPECT_TRUE(readable.says("others may read")) << readable.out;
  Outcome useless = run({"peer", "--http-token-file", path("token")});
  EXPECT_EQ(useless.status, 1) << useless.out;
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

/// Every survey takes a second, because one member does not answer.
TEST_F(PeerHttp, ManyWhoHangUpKeepNobodyWaiting) {
  std::ofstream(path("token")) << "0123456789abcdef\n";
  std::filesystem::permissions(path("token"), std::filesystem::perms::owner_read);
  Process& one =
      ready_peer({"--lease", "60s", "--http", "127.0.0.1:0", "--http-token-file", path("token")});
  Process& stopped = ready_peer();
  std::string id = member_of(status(), stopped.id())["id"];
  std::string address = http_address(one);
  stopped.send(SIGSTOP);
  for (int i = 0; i < 300; ++i) Call gone(address, request_for("/status"));
  Stopwatch watch;
  std::string shown;
  // A request that comes while too many are in progress is told to come again.
  EXPECT_TRUE(await([&] { return code(shown = get(address, "/status")) == "200"; })) << shown;
  EXPECT_EQ(json::parse(body(shown))["members"].size(), 2u);
  EXPECT_EQ(code(post(address, "/evict", "0123456789abcdef", R"({"member":")" + id + "\"}")),
            "200");
  EXPECT_LT(watch.elapsed(), Milliseconds(15'000));
}

}  // namespace conch::http_test
