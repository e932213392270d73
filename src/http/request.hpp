// What a client of the HTTP server asks, read from the bytes that it sent. A value: no socket.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace conch::http {

struct Request {
  std::string method;
  /// Without the query.
  std::string path;
  /// By name, decoded; the first of a name counts.
  std::map<std::string, std::string> query = {};
  /// By name in small letters; a name that comes twice is refused.
  std::map<std::string, std::string> headers = {};
  std::string body = {};

  /// Empty if it was not given.
  std::string_view header(const std::string& name) const;
  std::string_view parameter(const std::string& name) const;
};

/// More has to come.
struct Incomplete {};
/// The status with which it is answered, as in `400 Bad Request`.
struct Malformed {
  std::string status;
};

inline constexpr std::size_t head_bytes_max = 8192;
inline constexpr std::size_t body_bytes_max = 4096;

/// All that a client has sent so far.
std::variant<Incomplete, Malformed, Request> read_request(std::string_view bytes);

/// Whether `host`, as a browser names it, is loopback or one of the addresses we listen on. A name
/// that somebody else's name server has pointed here is not: its page is not ours to answer.
bool is_own_host(std::string_view host, std::string_view listen, std::string_view address);

/// Whether the page that asks came from where it asks; a program that is no browser does not say.
bool is_same_origin(const Request& request);

}  // namespace conch::http
