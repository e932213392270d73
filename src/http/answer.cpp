// Decides which HTTP requests are granted, and what the responses are. Uses no sockets.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <conch/error.hpp>
#include <cstring>

#include "http/response.hpp"
#include "http/server.hpp"

namespace conch::http {

namespace {

constexpr std::size_t token_length_min = 16;
constexpr std::string_view bearer = "Bearer ";

/// Compares in constant time, so that timing does not reveal where the two differ.
bool are_same(std::string_view given, std::string_view token) {
  unsigned difference = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned char>(given[i] ^ token[i % token.size()]);
  return difference == 0;
}

std::string list_of(const HttpOptions& options) {
  std::string list;
  for (const auto& [path, page] : options.pages) list += path + "\n";
  return list;
}

}  // namespace

std::string common_headers(bool runs_wasm) {
  return fmt::format(
      "Cache-Control: no-store\r\n"
      "Content-Security-Policy: default-src 'none'; "
      "script-src 'unsafe-inline'{}; style-src 'unsafe-inline'; img-src data:; "
      "connect-src 'self'; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "Connection: close\r\n",
      runs_wasm ? " 'wasm-unsafe-eval'" : "");
}

std::string head(std::string_view status, std::string_view type, std::size_t size, bool runs_wasm) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n", status,
                     type, size, common_headers(runs_wasm));
}

std::string response(std::string_view status, std::string_view type, std::string_view text,
                     bool with_body) {
  std::string whole = head(status, type, text.size());
  if (with_body) whole += text;
  return whole;
}

std::string refusal(std::string_view status, std::string_view why) {
  return response(status, "text/plain; charset=utf-8",
                  fmt::format("{}\n", why.empty() ? status : why), true);
}

std::string busy(std::string_view why) {
  std::string whole = refusal("503 Service Unavailable", why);
  return whole.insert(whole.find("\r\n") + 2, "Retry-After: 1\r\n");
}

const Page* page_of(const HttpRequest& request, const HttpOptions& options) {
  const auto& pages = request.method == "POST" ? options.actions : options.pages;
  auto found = pages.find(request.path);
  return found == pages.end() ? nullptr : &found->second;
}

std::string objection(const HttpRequest& request, const HttpOptions& options,
                      std::string_view address) {
  std::string_view host = request.header("host");
  if (!host.empty() && !options.insecure && !is_own_host(host, options.listen, address))
    return refusal("421 Misdirected Request", "this is not " + std::string(host));
  bool looks = request.method == "GET" || request.method == "HEAD";
  if (!looks && request.method != "POST") return refusal("405 Method Not Allowed");
  if (looks) return "";
  if (!options.actions.contains(request.path))
    return refusal(options.pages.contains(request.path) ? "405 Method Not Allowed"
                                                        : "404 Not Found");
  // No form or image of another page can send this header.
  if (!request.headers.contains("x-conch") || !is_same_origin(request))
    return refusal("403 Forbidden", "the request comes from another page, or lacks X-Conch");
  if (options.token.empty())
    return refusal("403 Forbidden", "this peer is read-only: it has no --http-token-file");
  std::string_view given = request.header("authorization");
  bool granted = given.starts_with(bearer) && are_same(given.substr(bearer.size()), options.token);
  if (!granted) return refusal("401 Unauthorized", "this is not the token of this peer");
  return "";
}

std::string answer(const HttpRequest& request, const HttpOptions& options) {
  bool with_body = request.method != "HEAD";
  const Page* page = page_of(request, options);
  if (!page && request.path == "/" && request.method != "POST")
    return response("200 OK", "text/plain; charset=utf-8", list_of(options), with_body);
  if (!page) return refusal("404 Not Found");
  if (page->bytes) return head("200 OK", page->type, page->bytes->size(), page->runs_wasm);
  try {
    return response("200 OK", page->type, page->text(request), with_body);
  } catch (const HttpRefusal& error) {
    return refusal(error.status, error.why);
  } catch (const std::exception& error) {
    return refusal("503 Service Unavailable", error.what());
  }
}

std::string read_token(const std::string& file) {
  auto complain = [&](const std::string& why) {
    throw Error(fmt::format("--http-token-file {}: {}", file, why));
  };
  net::Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened) complain(std::strerror(errno));
  struct stat about {};
  if (::fstat(opened.number(), &about) != 0 || !S_ISREG(about.st_mode))
    complain("not a regular file");
  if ((about.st_mode & 077) != 0)
    complain(
        "others may read or write it: `chmod 600` it, and replace the token if they may have read "
        "it");
  std::array<char, 1024> bytes{};
  ssize_t size = ::read(opened.number(), bytes.data(), bytes.size());
  std::string token(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  token.erase(token.find_last_not_of("\r\n") + 1);
  bool visible =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (!visible || token.size() < token_length_min || token.size() >= bytes.size() / 2)
    complain(
        "a token is one line of 16 to 511 visible characters, as `openssl rand -hex 16` makes");
  return token;
}

}  // namespace conch::http
