// One connection to a member of an etcd cluster: HTTP, plain or over TLS. Its calls block until a
// deadline, or until the interrupt descriptor becomes readable.
#pragma once

#include <string>
#include <string_view>

#include "core/types.hpp"
#include "net/socket.hpp"
#include "register/http_answer.hpp"
#include "register/register.hpp"
#include "wire/address.hpp"

namespace conch::etcd {

/// This member is unavailable at the moment. Another one may answer.
class Unreachable : public RegisterError {
 public:
  explicit Unreachable(const std::string& what, bool silent = false)
      : RegisterError(what), silent_(silent) {}
  /// Whether the deadline passed without an answer.
  bool is_silent() const { return silent_; }

 private:
  bool silent_;
};
/// The interrupt descriptor became readable.
class Interrupted : public RegisterError {
 public:
  Interrupted() : RegisterError("it was interrupted") {}
};

struct Endpoint {
  bool secure = false;
  wire::TcpWay way;
  std::string print() const;
};
/// Reads `http://host:port` or `https://host:port`; the port defaults to 2379. Throws
/// std::invalid_argument.
Endpoint parse_endpoint(std::string_view text);

class HttpConnection {
 public:
  /// `tls` is needed for a secure endpoint only. All calls end when the descriptor `interrupt`
  /// becomes readable; -1 for none.
  HttpConnection(const Endpoint& endpoint, const net::TlsContext* tls, int interrupt, Time until);

  struct Request {
    std::string path;
    std::string body;
    /// Authentication token; empty for none.
    std::string token = {};
  };
  void send(const Request& request, Time until);
  /// Waits until the head of the answer has arrived.
  int await_status(Time until);
  /// Waits for the whole body; call it after `await_status`.
  std::string await_body(Time until);
  /// Waits for the next line of an answer that has no end. Returns false if none came in time.
  bool await_line(std::string& line, Time until);
  /// Whether the connection can carry another request after this answer.
  bool stays_open() const { return reader_.is_complete() && !reader_.closes(); }

 private:
  bool await(short events, Time until);
  bool receive(Time until);
  [[noreturn]] void fail(const std::string& why) const;
  [[noreturn]] void fail_as_hung_up() const;
  [[noreturn]] void fail_as_too_slow() const;

  Endpoint endpoint_;
  int interrupt_;
  net::Socket socket_;
  bool heard_ = false;
  http::AnswerReader reader_;
};

}  // namespace conch::etcd
