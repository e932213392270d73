// One connection to a member of an etcd cluster: HTTP, in the clear or under TLS. Its calls block,
// until a time, or until somebody interrupts.
#pragma once

#include <string>
#include <string_view>

#include "core/types.hpp"
#include "net/socket.hpp"
#include "register/http_answer.hpp"
#include "register/register.hpp"
#include "wire/address.hpp"

namespace conch::etcd {

/// This member cannot be talked to at the moment. Another one may.
class Unreachable : public RegisterError {
 public:
  explicit Unreachable(const std::string& what, bool silent = false)
      : RegisterError(what), silent_(silent) {}
  /// It was waited for in vain.
  bool is_silent() const { return silent_; }

 private:
  bool silent_;
};
/// Somebody else wanted it to end.
class Interrupted : public RegisterError {
 public:
  Interrupted() : RegisterError("it was interrupted") {}
};

struct Endpoint {
  bool secure = false;
  wire::TcpWay way;
  std::string print() const;
};
/// `http://host:port` or `https://host:port`, without a port 2379. Throws std::invalid_argument.
Endpoint parse_endpoint(std::string_view text);

class Line {
 public:
  /// `tls` for a secure endpoint. `interrupt`: a descriptor, readable when all calls are to end; -1
  /// for none.
  Line(const Endpoint& endpoint, const net::TlsContext* tls, int interrupt, Time until);

  struct Request {
    std::string path;
    std::string body;
    /// Empty: none.
    std::string token = {};
  };
  void send(const Request& request, Time until);
  /// Until the head of the answer is there.
  int await_status(Time until);
  /// The whole answer, after its head.
  std::string await_body(Time until);
  /// A line of an answer that has no end. False if none came in time.
  bool await_line(std::string& line, Time until);
  /// Whether another request can follow what was answered.
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
