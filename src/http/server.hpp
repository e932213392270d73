// A small HTTP server for the status pages of a peer; one request per connection.
//
// One thread serves all clients and never waits for any of them. A slow client has a few seconds
// and kilobytes for its request, and clients beyond the limit are told to try again. Slow pages
// run in a second thread and slow actions in a third; if a client closes its connection meanwhile,
// its request is dropped. A stream goes on until the client hangs up.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "http/background_worker.hpp"
#include "http/broadcast.hpp"
#include "http/request.hpp"
#include "net/descriptor.hpp"

namespace conch::http {

struct Page {
  std::string type;
  /// Called by a thread of the server. A thrown HttpRefusal becomes the answer; any other exception
  /// becomes a 503 with its text.
  std::function<std::string(const HttpRequest&)> text;
  /// It may block, so a worker thread calls it.
  bool slow = false;
  /// Constant content to use instead of `text`; it is never copied, however large.
  std::shared_ptr<const std::string> bytes = {};
  /// The page contains a WebAssembly module, which the browser may run.
  bool runs_wasm = false;
};

/// Thrown by a page.
struct HttpRefusal {
  /// Such as `404 Not Found`.
  std::string status;
  std::string why;
};

struct HttpOptions {
  /// `host:port`; port 0 lets the system choose.
  std::string listen;
  /// Allows other addresses than loopback, and any Host header.
  bool insecure = false;
  /// By path. Without a page at `/`, that path lists them.
  std::map<std::string, Page> pages;
  /// The path of the event stream. `stream` must outlive the server.
  std::string stream_path = "/events";
  Broadcast* stream = nullptr;
  /// Requests that change something, by path: POST with the token.
  std::map<std::string, Page> actions;
  /// If empty, no action is allowed.
  std::string token;
  std::chrono::milliseconds patience = std::chrono::seconds(5);
  std::chrono::milliseconds heartbeat = std::chrono::seconds(10);
  std::size_t clients_max = 64;
  std::size_t watchers_max = 16;
};

class HttpServer {
 public:
  /// Listens from here on. Throws Error if the address is taken, malformed, or not loopback.
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

/// Checks access: empty if the request is granted, else the whole response. `address` is where the
/// server listens.
std::string objection(const HttpRequest& request, const HttpOptions& options,
                      std::string_view address);
/// The whole response to a granted request; only the head if the page has `bytes`.
std::string answer(const HttpRequest& request, const HttpOptions& options);

/// Reads a token from a file that only its owner may access: one line of at least 16 visible
/// characters. Throws Error.
std::string read_token(const std::string& file);

}  // namespace conch::http
