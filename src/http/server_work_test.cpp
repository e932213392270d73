// Slow requests are shared, bounded, and dropped when the client has gone.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <vector>

#include "http/server.hpp"
#include "http/testing/caller.hpp"

namespace conch::http::http_work_test {

using testing::Caller;

/// Pages that take as long as the test wants.
class HttpWork : public ::testing::Test {
 protected:
  HttpOptions with_work() {
    HttpOptions options;
    options.listen = "127.0.0.1:0";
    options.patience = std::chrono::seconds(20);
    options.pages["/a"] = {"text/plain", [](const HttpRequest&) { return std::string("page a"); }};
    options.token = "0123456789abcdef";
    options.pages["/wait"] = {
        "text/plain", [this](const HttpRequest& asked) { return wait_for(asked.parameter("x")); },
        true};
    options.actions["/act"] = {
        "text/plain", [this](const HttpRequest& asked) { return wait_for(asked.body); }, true};
    return options;
  }
  std::string wait_for(std::string_view what) {
    begun_.release();
    may_end_.acquire();
    return fmt::format("{} {}", what, ++done_);
  }
  void await_begin() { begun_.acquire(); }
  void let_end(int works) { may_end_.release(works); }

  static std::string get(const std::string& query = "") {
    return "GET /wait" + query + " HTTP/1.1\r\n\r\n";
  }
  /// Waits until the server has read and handled everything sent so far.
  static void settle(const HttpServer& server) {
    for (int i = 0; i < 2; ++i) Caller(server).ask("GET /a HTTP/1.1\r\n\r\n");
  }

  std::counting_semaphore<> begun_{0};
  std::counting_semaphore<> may_end_{0};
  std::atomic<int> done_ = 0;
};

TEST_F(HttpWork, IsSharedByWhoAsksBeforeItHasBegun) {
  HttpServer server(with_work());
  Caller first(server);
  first.say(get());
  await_begin();
  std::vector<Caller> others;
  for (int i = 0; i < 20; ++i) others.emplace_back(server).say(get());
  Caller different(server);
  different.say(get("?x=other"));
  settle(server);
  let_end(3);
  EXPECT_TRUE(first.hear().ends_with("\r\n\r\n 1"));
  for (Caller& caller : others) EXPECT_TRUE(caller.hear().ends_with("\r\n\r\n 2"));
  EXPECT_TRUE(different.hear().ends_with("\r\n\r\nother 3"));
}

TEST_F(HttpWork, IsNotDoneForWhoHasHungUp) {
  HttpServer server(with_work());
  Caller first(server);
  first.say(get("?x=first"));
  await_begin();
  for (int i = 0; i < 300; ++i) Caller(server).say(get(fmt::format("?x={}", i % 7)));
  settle(server);
  Caller last(server);
  last.say(get("?x=last"));
  let_end(2);
  EXPECT_TRUE(first.hear().ends_with("first 1"));
  EXPECT_TRUE(last.hear().ends_with("last 2"));
}

TEST_F(HttpWork, IsBounded) {
  HttpServer server(with_work());
  Caller first(server);
  first.say(get());
  await_begin();
  std::vector<Caller> others;
  for (std::size_t i = 0; i < BackgroundWorker::waiting_max; ++i)
    others.emplace_back(server).say(get(fmt::format("?x={}", i)));
  settle(server);
  std::string refused = Caller(server).ask(get("?x=more"));
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_NE(refused.find("\r\nRetry-After: "), std::string::npos) << refused;
  let_end(1 + static_cast<int>(BackgroundWorker::waiting_max));
  for (Caller& caller : others) EXPECT_TRUE(caller.hear().starts_with("HTTP/1.1 200 "));
}

TEST_F(HttpWork, ThatChangesSomethingWaitsForNoLookAndIsNeverShared) {
  HttpServer server(with_work());
  std::string act =
      "POST /act HTTP/1.1\r\nX-Conch: 1\r\nAuthorization: Bearer 0123456789abcdef\r\n"
      "Content-Length: 3\r\n\r\nact";
  Caller looks(server), acts(server), acts_again(server);
  looks.say(get("?x=look"));
  await_begin();
  acts.say(act);
  await_begin();
  acts_again.say(act);
  settle(server);
  let_end(3);
  EXPECT_NE(acts.hear().find("\r\n\r\nact "), std::string::npos);
  await_begin();
  EXPECT_NE(acts_again.hear().find("\r\n\r\nact "), std::string::npos);
  EXPECT_NE(looks.hear().find("\r\n\r\nlook "), std::string::npos);
  EXPECT_EQ(done_, 3);
}

}  // namespace conch::http::http_work_test
