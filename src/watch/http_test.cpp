#include "watch/http.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <conch/error.hpp>
#include <stdexcept>

#include "net/names.hpp"

namespace conch::watch {
namespace {

using namespace std::chrono_literals;

HttpOptions options() {
  HttpOptions options;
  options.listen = "127.0.0.1:0";
  options.pages["/a"] = {"text/plain", [] { return std::string("page a\n"); }};
  options.pages["/b"] = {"text/plain", []() -> std::string { throw Error("not now"); }};
  options.patience = 300ms;
  return options;
}

/// A connection, as any program makes it.
class Caller {
 public:
  explicit Caller(const HttpServer& server)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    auto way = wire::parse_host_and_port(server.address());
    net::SocketName name = net::resolve(*way, false).names.at(0);
    if (::connect(socket_.number(), name.get(), name.size()) != 0)
      throw std::runtime_error("cannot connect");
  }
  void say(std::string_view text) const {
    ::send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL);
  }
  /// All that comes until the server hangs up.
  std::string hear() const {
    std::string heard;
    std::array<char, 4096> bytes;
    ssize_t size = 0;
    while ((size = ::recv(socket_.number(), bytes.data(), bytes.size(), 0)) > 0)
      heard.append(bytes.data(), static_cast<std::size_t>(size));
    return heard;
  }
  std::string ask(std::string_view request) const {
    say(request);
    return hear();
  }

 private:
  net::Descriptor socket_;
};

TEST(Http, ServesItsPages) {
  HttpServer server(options());
  EXPECT_EQ(Caller(server).ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n"
            "Connection: close\r\n\r\npage a\n");
  EXPECT_TRUE(Caller(server).ask("GET / HTTP/1.0\r\n\r\n").ends_with("\r\n\r\n/a\n/b\n"));
}

TEST(Http, WhatItDoesNotServe) {
  std::map<std::string, Page> pages = options().pages;
  EXPECT_TRUE(answer("GET /c HTTP/1.1\r\n\r\n", pages).starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(answer("POST /a HTTP/1.1\r\n\r\n", pages).starts_with("HTTP/1.1 405 "));
  EXPECT_TRUE(answer("GET /a\r\n\r\n", pages).starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(answer("\r\n\r\n", pages).starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(answer("GET /b HTTP/1.1\r\n\r\n", pages).starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(answer("GET /b HTTP/1.1\r\n\r\n", pages).ends_with("not now\n"));
  EXPECT_TRUE(answer("HEAD /a HTTP/1.1\r\n\r\n", pages).ends_with("close\r\n\r\n"));
  EXPECT_TRUE(answer("GET /a?x=1 HTTP/1.1\r\n\r\n", pages).ends_with("page a\n"));
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
  EXPECT_EQ(three.hear(), "");
  EXPECT_TRUE(one.ask("GET /a HTTP/1.1\r\n\r\n").ends_with("page a\n"));
  EXPECT_TRUE(Caller(server).ask("GET /a HTTP/1.1\r\n\r\n").ends_with("page a\n"));
}

TEST(Http, WhereItWillNotListen) {
  HttpServer server(options());
  for (std::string address :
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

}  // namespace
}  // namespace conch::watch
