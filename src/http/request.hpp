// Parses a request to the HTTP server from the bytes received so far. No sockets here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace conch::http {

struct HttpRequest {
  std::string method;
  /// Without the query.
  std::string path;
  /// Decoded, by name; the first of a name counts.
  std::map<std::string, std::string> query = {};
  /// By name in lower case; a repeated name makes the request malformed.
  std::map<std::string, std::string> headers = {};
  std::string body = {};

  /// Both return an empty text for a name that the request does not have.
  std::string_view header(const std::string& name) const;
  std::string_view parameter(const std::string& name) const;
};

/// More bytes must come.
struct Incomplete {};
/// The status to answer with, such as `400 Bad Request`.
struct Malformed {
  std::string status;
};

inline constexpr std::size_t head_bytes_max = 8192;
inline constexpr std::size_t body_bytes_max = 4096;

/// `bytes` is all that the client has sent so far.
std::variant<Incomplete, Malformed, HttpRequest> read_request(std::string_view bytes);

/// Whether the Host header names loopback or an address that we listen on. Any other name may have
/// been pointed at us by a foreign name server (DNS rebinding).
bool is_own_host(std::string_view host, std::string_view listen, std::string_view address);

/// Whether the request came from a page of this server. Programs other than browsers send no
/// Origin, and are accepted.
bool is_same_origin(const HttpRequest& request);

}  // namespace conch::http
