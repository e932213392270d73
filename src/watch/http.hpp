// A few pages for whoever looks in: HTTP, GET, one request a connection.
//
// One thread of its own serves all. It never waits for a client: who is slow has some seconds and
// some kilobytes for its request, and whoever comes when too many are there is turned away.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "net/descriptor.hpp"

namespace conch::watch {

struct Page {
  std::string type;
  /// Called by the server's thread; what it throws is told to the client.
  std::function<std::string()> text;
};

struct HttpOptions {
  /// `host:port`; port 0 lets the system choose.
  std::string listen;
  /// Listens on other addresses than loopback.
  bool insecure = false;
  /// By path; if there is none at `/`, that lists them.
  std::map<std::string, Page> pages;
  std::chrono::milliseconds patience = std::chrono::seconds(5);
  std::size_t clients_max = 64;
};

class HttpServer {
 public:
  /// Listens from here on. Throws Error: an address that is taken, malformed, or not loopback.
  explicit HttpServer(HttpOptions options);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// `host:port`.
  const std::string& address() const { return address_; }

 private:
  void serve();

  HttpOptions options_;
  std::string address_;
  net::Descriptor door_;
  net::Descriptor stop_;
  std::thread thread_;
};

/// The whole answer to a request, of which the head is complete.
std::string answer(std::string_view request, const std::map<std::string, Page>& pages);

}  // namespace conch::watch
