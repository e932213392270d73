#include "http/server.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <conch/error.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <stdexcept>
#include <thread>

#include "http/testing/caller.hpp"
#include "register/testing/scratch.hpp"

namespace conch::http::http_test {

using namespace std::chrono_literals;
using testing::Caller;

HttpOptions options() {
  HttpOptions options;
  options.listen = "127.0.0.1:0";
  options.pages["/a"] = {"text/plain", [](const HttpRequest&) { return std::string("page a\n"); }};
  options.pages["/b"] = {"text/plain",
                         [](const HttpRequest&) -> std::string { throw Error("not now"); }};
  options.pages["/slow"] = {
      "text/plain", [](const HttpRequest& asked) { return std::string(asked.parameter("x")); },
      true};
  options.actions["/do"] = {"text/plain", [](const HttpRequest& asked) { return asked.body + "!"; },
                            true};
  options.patience = 300ms;
  return options;
}

/// The response to this request, without sockets.
std::string answer_to(const std::string& text, const HttpOptions& options) {
  auto read = read_request(text);
  if (auto* malformed = std::get_if<Malformed>(&read)) return malformed->status;
  auto* request = std::get_if<HttpRequest>(&read);
  if (!request) return "more";
  std::string refused = objection(*request, options, "127.0.0.1:80");
  return refused.empty() ? answer(*request, options) : refused;
}
std::string status_of(const std::string& text, const HttpOptions& options) {
  std::string answer = answer_to(text, options);
  return answer.starts_with("HTTP/1.1 ") ? answer.substr(9, 3) : answer.substr(0, 3);
}

constexpr std::string_view token = "0123456789abcdef";

/// POST /do as the page sends it; `extra` are whole header lines.
std::string action(const std::string& extra, const std::string& body = "now") {
  return "POST /do HTTP/1.1\r\nHost: localhost:80\r\n" + extra +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
const std::string marked = "X-Conch: 1\r\n";
const std::string authorized = marked + "Authorization: Bearer 0123456789abcdef\r\n";

TEST(Http, ServesItsPages) {
  HttpServer server(options());
  std::string heard = Caller(server).ask("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(
      heard.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n"))
      << heard;
  EXPECT_TRUE(heard.ends_with("Connection: close\r\n\r\npage a\n")) << heard;
  EXPECT_TRUE(Caller(server).ask("GET / HTTP/1.0\r\n\r\n").ends_with("\r\n\r\n/a\n/b\n/slow\n"));
  EXPECT_TRUE(Caller(server).ask("GET /slow?x=a%20b HTTP/1.0\r\n\r\n").ends_with("\r\n\r\na b"));
}

TEST(Http, WhatIsLargeComesWhole) {
  HttpOptions with_film = options();
  with_film.patience = 60s;
  auto bytes = std::make_shared<std::string>(std::size_t{1} << 23, 'x');
  bytes->replace(bytes->size() - 3, 3, "end");
  with_film.pages["/film"] = {.type = "application/octet-stream", .text = {}, .bytes = bytes};
  HttpServer server(std::move(with_film));
  for (int round = 0; round < 2; ++round) {
    std::string heard = Caller(server).ask("GET /film HTTP/1.1\r\n\r\n");
    EXPECT_EQ(heard.substr(heard.find("\r\n\r\n") + 4), *bytes);
  }
  EXPECT_TRUE(Caller(server).ask("HEAD /film HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n"));
}

TEST(Http, ABrowserIsToldToBeCareful) {
  std::string heard = answer_to("GET /a HTTP/1.1\r\n\r\n", options());
  for (const char* header : {"Content-Security-Policy: default-src 'none'; ", "no-store",
                             "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer"})
    EXPECT_NE(heard.find(header), std::string::npos) << header;
}

TEST(Http, OnlyAPageThatHasAModuleMayRunIt) {
  HttpOptions two = options();
  auto bytes = std::make_shared<std::string>("page");
  two.pages["/film"] = {.type = "text/html", .text = {}, .bytes = bytes};
  two.pages["/module"] = {.type = "text/html", .text = {}, .bytes = bytes, .runs_wasm = true};
  for (const char* path : {"/a", "/film", "/nothing", "/module"}) {
    std::string heard = answer_to(fmt::format("GET {} HTTP/1.1\r\n\r\n", path), two);
    bool may = heard.find("wasm-unsafe-eval") != std::string::npos;
    EXPECT_EQ(may, path == std::string_view("/module")) << heard;
  }
}

TEST(Http, WhatItDoesNotServe) {
  EXPECT_EQ(status_of("GET /c HTTP/1.1\r\n\r\n", options()), "404");
  EXPECT_EQ(status_of("POST /a HTTP/1.1\r\n\r\n", options()), "405");
  EXPECT_EQ(status_of("PUT /do HTTP/1.1\r\n\r\n", options()), "405");
  EXPECT_EQ(status_of("GET /do HTTP/1.1\r\n\r\n", options()), "404");
  EXPECT_EQ(status_of("GET /a\r\n\r\n", options()), "400");
  EXPECT_EQ(status_of("\r\n\r\n", options()), "400");
  EXPECT_EQ(status_of("GET /b HTTP/1.1\r\n\r\n", options()), "503");
  EXPECT_TRUE(answer_to("GET /b HTTP/1.1\r\n\r\n", options()).ends_with("not now\n"));
  EXPECT_TRUE(answer_to("HEAD /a HTTP/1.1\r\n\r\n", options()).ends_with("close\r\n\r\n"));
  EXPECT_TRUE(answer_to("GET /a?x=1 HTTP/1.1\r\n\r\n", options()).ends_with("page a\n"));
}

/// After DNS rebinding, a page of evil.example would be of the same origin.
TEST(Http, ItAnswersToItsOwnNamesOnly) {
  HttpOptions own = options();
  own.listen = "watch.example:80";
  for (const char* host :
       {"localhost", "LOCALHOST:1", "127.0.0.1:9", "127.9.9.9", "[::1]:80", "watch.example:8080"})
    EXPECT_EQ(status_of(std::string("GET /a HTTP/1.1\r\nHost: ") + host + "\r\n\r\n", own), "200")
        << host;
  for (const char* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
                           "[::2]", "10.0.0.1", "[", ":"})
    EXPECT_EQ(status_of(std::string("GET /a HTTP/1.1\r\nHost: ") + host + "\r\n\r\n", own), "421")
        << host;
  own.insecure = true;
  EXPECT_EQ(status_of("GET /a HTTP/1.1\r\nHost: evil.example\r\n\r\n", own), "200");
}

TEST(Http, OnlyWhoHasTheTokenChangesSomething) {
  HttpOptions open = options();
  EXPECT_EQ(status_of(action(authorized), open), "403");  // The server has no token.
  open.token = token;
  EXPECT_TRUE(answer_to(action(authorized), open).ends_with("\r\n\r\nnow!"));
  EXPECT_EQ(status_of(action(marked), open), "401");
  EXPECT_EQ(status_of(action("Authorization: Bearer 0123456789abcdef\r\n"), open), "403");
  for (const char* wrong : {"", "0", "0123456789abcdee", "0123456789abcdef0", "0123456789abcde"})
    EXPECT_EQ(status_of(action(marked + "Authorization: Bearer " + wrong + "\r\n"), open), "401")
        << wrong;
  EXPECT_EQ(status_of(action(marked + "Authorization: 0123456789abcdef\r\n"), open), "401");
}

TEST(Http, APageFromElsewhereChangesNothing) {
  HttpOptions open = options();
  open.token = token;
  auto from = [&](const std::string& origin) {
    return status_of(action(authorized + "Origin: " + origin + "\r\n"), open);
  };
  EXPECT_EQ(from("http://localhost:80"), "200");
  for (const char* origin : {"http://localhost:81", "http://evil.example", "null", ""})
    EXPECT_EQ(from(origin), "403") << origin;
}

TEST(Http, WhatIsNoRequest) {
  auto with = [](const std::string& headers) { return "POST /do HTTP/1.1\r\n" + headers + "\r\n"; };
  EXPECT_EQ(status_of(with("Content-Length: 4\r\n") + "now", options()), "mor");
  EXPECT_EQ(status_of(with("Content-Length: 4097\r\n"), options()), "413");
  EXPECT_EQ(status_of(with("Content-Length: 99999999999999999999999\r\n"), options()), "413");
  for (const char* headers :
       {"Content-Length: x\r\n", "Content-Length: -1\r\n", "Content-Length:\r\n", "nonsense\r\n",
        ": x\r\n", "A: 1\r\n b\r\n", "Host: localhost\r\nhost: localhost\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n", "Transfer-Encoding: chunked\r\n"})
    EXPECT_EQ(status_of(with(headers) + "now", options()), "400") << headers;
  EXPECT_EQ(status_of("GET /a?%=%4&&=&x=%zz HTTP/1.1\r\n\r\n", options()), "200");
  EXPECT_EQ(status_of("GET /" + std::string(9000, 'x'), options()), "431");
}

class TokenFile : public ::testing::Test {
 protected:
  std::string file(const std::string& text, mode_t mode = 0600) {
    std::string path = scratch_.path() + "/token";
    std::filesystem::remove(path);
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  void expect_refusal(const std::string& path, std::string_view words) {
    try {
      read_token(path);
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find(words), std::string_view::npos) << error.what();
    }
  }
  ScratchFolder scratch_;
};

TEST_F(TokenFile, IsOneLineThatOnlyItsOwnerMayRead) {
  EXPECT_EQ(read_token(file("0123456789abcdef\n")), token);
  EXPECT_EQ(read_token(file("0123456789abcdef", 0400)), token);
  expect_refusal(file("0123456789abcdef", 0640), "others may read");
  expect_refusal(file("0123456789abcdef", 0604), "others may read");
  expect_refusal(file("0123456789abcde\n"), "16 to 511");
  expect_refusal(file("0123456789 abcdef"), "visible");
  expect_refusal(file(std::string(600, 'x')), "16 to 511");
  expect_refusal("/nowhere/token", "No such file");
  expect_refusal("/tmp", "not a regular file");
}

/// A server with a stream.
class HttpStream : public ::testing::Test {
 protected:
  HttpOptions with_stream() {
    HttpOptions options = http_test::options();
    options.stream = &broadcast_;
    options.patience = 20s;
    return options;
  }
  static bool has(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
  }
  /// Reads until this text has arrived.
  static std::string hear(const Caller& caller, std::string_view words) {
    return caller.hear_until([&](const std::string& heard) { return has(heard, words); });
  }
  static void subscribe(const Caller& caller) {
    caller.say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  void await_listeners(std::size_t count) {
    while (broadcast_.listeners() != count) std::this_thread::yield();
  }

  Broadcast broadcast_;
};

TEST_F(HttpStream, TellsWhatIsPublished) {
  HttpServer server(with_stream());
  broadcast_.announce("hello", "{}");
  Caller watcher(server);
  subscribe(watcher);
  std::string heard = hear(watcher, "event: hello\ndata: {}\n\n");
  EXPECT_TRUE(has(heard, "Content-Type: text/event-stream\r\n")) << heard;
  broadcast_.publish("notes", "1");
  EXPECT_TRUE(has(hear(watcher, "data: 1\n\n"), "event: notes\n"));
  EXPECT_TRUE(Caller(server).ask("GET /a HTTP/1.1\r\n\r\n").ends_with("page a\n"));
}

TEST_F(HttpStream, GoesOnForLongerThanARequestMayTake) {
  HttpOptions options = with_stream();
  options.patience = 1s;
  options.heartbeat = 100ms;
  HttpServer server(options);
  Caller watcher(server);
  subscribe(watcher);
  std::string beats;
  for (int i = 0; i < 15; ++i) beats += ":\n\n";
  EXPECT_TRUE(has(hear(watcher, beats), beats));
  broadcast_.publish("notes", "still here");
  EXPECT_TRUE(has(hear(watcher, "still here"), "still here"));
}

TEST_F(HttpStream, WhoHangsUpIsNoListener) {
  HttpServer server(with_stream());
  {
    Caller watcher(server);
    subscribe(watcher);
    await_listeners(1);
  }
  await_listeners(0);
}

/// It delays neither the publisher nor other listeners, and is told how many events it has missed.
TEST_F(HttpStream, WhoDoesNotReadMissesSomething) {
  HttpOptions options = with_stream();
  HttpServer server(options);
  Caller slow(server);
  Caller quick(server);
  subscribe(slow);
  subscribe(quick);
  await_listeners(2);
  std::string filling(64 << 10, 'x');
  std::string heard = hear(quick, "retry: 1000\n\n");
  // More than the kernel's buffers and the broadcast's can hold together.
  for (int i = 0; i < 400; ++i) {
    std::string words = fmt::format("number {} ", i);
    broadcast_.publish("notes", words + filling);
    EXPECT_TRUE(has(hear(quick, words), words)) << i;
    hear(quick, "\n\n");
  }
  broadcast_.publish("last", "end");
  EXPECT_TRUE(has(hear(slow, "event: last\n"), "event: gap\ndata: {\"events\":"));
}

TEST_F(HttpStream, WhoTakesNothingForLongIsDropped) {
  HttpOptions options = with_stream();
  options.patience = 1s;
  HttpServer server(options);
  Caller dead(server);
  subscribe(dead);
  await_listeners(1);
  std::string filling(1 << 20, 'x');
  while (broadcast_.listeners() > 0) {
    broadcast_.publish("notes", filling);
    std::this_thread::yield();
  }
}

TEST_F(HttpStream, OnlySoManyWatch) {
  HttpOptions options = with_stream();
  options.watchers_max = 1;
  HttpServer server(options);
  Caller one(server);
  subscribe(one);
  await_listeners(1);
  Caller two(server);
  subscribe(two);
  EXPECT_TRUE(two.hear().starts_with("HTTP/1.1 503 "));
}

TEST_F(HttpStream, WhatIsSlowDelaysNobodyElse) {
  HttpOptions options = with_stream();
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  options.pages["/wait"] = {"text/plain",
                            [released](const HttpRequest&) {
                              released.wait();
                              return std::string("done");
                            },
                            true};
  HttpServer server(options);
  Caller patient(server);
  patient.say("GET /wait HTTP/1.1\r\n\r\n");
  Caller gone(server);
  gone.say("GET /wait HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(Caller(server).ask("GET /a HTTP/1.1\r\n\r\n").ends_with("page a\n"));
  release.set_value();
  EXPECT_TRUE(patient.hear().ends_with("\r\n\r\ndone"));
}

TEST(Http, ASlowClientCostsNothingButItsConnection) {
  HttpServer server(options());
  Caller slow(server);
  slow.say("GET /a HT");
  EXPECT_TRUE(Caller(server).ask("GET /a HTTP/1.1\r\n\r\n").ends_with("page a\n"));
  EXPECT_EQ(slow.hear(), "");  // Its time is over.
}

TEST(Http, ARequestWithoutEndIsRefused) {
  HttpServer server(options());
  Caller endless(server);
  endless.say("GET /a HTTP/1.1\r\nCookie: " + std::string(9000, 'x'));
  std::string heard = endless.hear();
  EXPECT_TRUE(heard.empty() || heard.starts_with("HTTP/1.1 431 ")) << heard;
  EXPECT_TRUE(Caller(server).ask("GET /a HTTP/1.1\r\n\r\n").ends_with("page a\n"));
}

TEST(Http, MoreClientsThanItTakes) {
  HttpOptions few = options();
  few.clients_max = 2;
  few.patience = 10s;
  HttpServer server(few);
  Caller one(server);
  Caller two(server);
  Caller three(server);
  std::string turned_away = three.ask("GET /a HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(turned_away.starts_with("HTTP/1.1 503 ")) << turned_away;
  EXPECT_NE(turned_away.find("\r\nRetry-After: 1\r\n"), std::string::npos) << turned_away;
  EXPECT_TRUE(one.ask("GET /a HTTP/1.1\r\n\r\n").ends_with("page a\n"));
  EXPECT_TRUE(Caller(server).ask("GET /a HTTP/1.1\r\n\r\n").ends_with("page a\n"));
}

TEST(Http, WhereItWillNotListen) {
  HttpServer server(options());
  for (const std::string& address :
       {server.address(), std::string("0.0.0.0:0"), std::string("nonsense")}) {
    HttpOptions bad = options();
    bad.listen = address;
    EXPECT_THROW(HttpServer{bad}, Error) << address;
  }
  HttpOptions open = options();
  open.listen = "0.0.0.0:0";
  open.insecure = true;
  EXPECT_NO_THROW(HttpServer{open});
}

}  // namespace conch::http::http_test
