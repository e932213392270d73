// A few pages for whoever looks in: HTTP, one request a connection.
//
// One thread of its own serves all. It never waits for a client: who is slow has some seconds and
// some kilobytes for its request, and whoever comes when too many are there is told to come again.
// What takes its time is done by a second thread, and what changes something by a third; who closes
// its end meanwhile wants nothing any more. A stream goes on until the client hangs up.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "http/broadcast.hpp"
#include "http/clerk.hpp"
#include "http/request.hpp"
#include "net/descriptor.hpp"

namespace conch::http {

struct Page {
  std::string type;
  /// Called by a thread of the server. A Refusal is the answer; whatever else it throws is told to
  /// the client with 503.
  std::function<std::string(const Request&)> text;
  /// It may wait for others.
  bool slow = false;
  /// Instead of a text: what does not change, however large, and is copied for nobody.
  std::shared_ptr<const std::string> bytes = {};
  /// They have a WebAssembly module in them, which the browser may run.
  bool runs_wasm = false;
};

/// Thrown by a page.
struct Refusal {
  /// As in `404 Not Found`.
  std::string status;
  std::string why;
};

struct HttpOptions {
  /// `host:port`; port 0 lets the system choose.
  std::string listen;
  /// Listens on other addresses than loopback, and answers to every name.
  bool insecure = false;
  /// By path; if there is none at `/`, that lists them.
  std::map<std::string, Page> pages;
  /// Events for whoever asks for this path. It outlives the server.
  std::string stream_path = "/events";
  Broadcast* stream = nullptr;
  /// What changes something, by path: POST, for who has the token.
  std::map<std::string, Page> actions;
  /// Empty: nobody has it.
  std::string token;
  std::chrono::milliseconds patience = std::chrono::seconds(5);
  std::chrono::milliseconds heartbeat = std::chrono::seconds(10);
  std::size_t clients_max = 64;
  std::size_t watchers_max = 16;
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

/// Who may do what: empty, or the whole answer to a request that is not granted. `address` is where
/// the server listens.
std::string objection(const Request& request, const HttpOptions& options, std::string_view address);
/// The whole answer to one that is; of a page that has bytes, what comes before them.
std::string answer(const Request& request, const HttpOptions& options);

/// From a file that only its owner may read: one line of at least 16 visible characters. Throws
/// Error.
std::string read_token(const std::string& file);

}  // namespace conch::http
