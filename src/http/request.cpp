#include "http/request.hpp"

#include <algorithm>
#include <charconv>

namespace conch::http {

namespace {

using Fields = std::map<std::string, std::string>;

std::string small(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<int> digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

/// Malformed escapes are kept as they are.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto high = i + 2 < text.size() ? digit_of(text[i + 1]) : std::nullopt;
    auto low = high ? digit_of(text[i + 2]) : std::nullopt;
    if (text[i] == '%' && low) {
      out += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

Fields read_query(std::string_view text) {
  Fields query;
  while (!text.empty()) {
    std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    std::size_t middle = std::min(pair.find('='), pair.size());
    std::string_view value = pair.substr(std::min(middle + 1, pair.size()));
    query.emplace(decoded(pair.substr(0, middle)), decoded(value));
  }
  return query;
}

/// Removes the next line from the text and returns it without its end.
std::string_view take_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// The offset of the body; npos if the head is incomplete.
std::size_t end_of_head(std::string_view bytes) {
  std::size_t at = 0;
  while ((at = bytes.find('\n', at)) != std::string_view::npos) {
    std::string_view rest = bytes.substr(++at);
    if (rest.starts_with("\n")) return at + 1;
    if (rest.starts_with("\r\n")) return at + 2;
  }
  return std::string_view::npos;
}

bool read_first_line(std::string_view line, HttpRequest& request) {
  std::size_t method_end = line.find(' ');
  std::size_t target_end = line.rfind(' ');
  if (method_end == std::string_view::npos || target_end == method_end) return false;
  std::string_view target = line.substr(method_end + 1, target_end - method_end - 1);
  if (!line.substr(target_end + 1).starts_with("HTTP/1.") || !target.starts_with('/')) return false;
  request.method = line.substr(0, method_end);
  std::size_t path_end = std::min(target.find('?'), target.size());
  request.path = target.substr(0, path_end);
  request.query = read_query(target.substr(std::min(path_end + 1, target.size())));
  return true;
}

bool read_headers(std::string_view text, HttpRequest& request) {
  for (std::string_view line = take_line(text); !line.empty(); line = take_line(text)) {
    std::size_t colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos || line.front() == ' ') return false;
    std::string_view value = trimmed(line.substr(colon + 1));
    if (!request.headers.emplace(small(line.substr(0, colon)), value).second) return false;
  }
  return true;
}

/// The length that the head announces; empty if it is malformed.
std::optional<std::size_t> length_of(const HttpRequest& request) {
  if (!request.headers.contains("content-length")) return 0;
  std::string_view text = request.header("content-length");
  std::size_t length = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error == std::errc::result_out_of_range) return body_bytes_max + 1;
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return length;
}

std::string host_in(std::string_view text) {
  if (text.starts_with('['))
    return small(text.substr(1, std::min(text.find(']'), text.size()) - 1));
  return small(text.substr(0, text.find(':')));
}

bool is_loopback(const std::string& host) {
  if (host == "localhost" || host == "::1") return true;
  // Only numbers count: another's name server decides where a name leads.
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos;
}

}  // namespace

std::string_view HttpRequest::header(const std::string& name) const {
  auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : found->second;
}

std::string_view HttpRequest::parameter(const std::string& name) const {
  auto found = query.find(name);
  return found == query.end() ? std::string_view() : found->second;
}

std::variant<Incomplete, Malformed, HttpRequest> read_request(std::string_view bytes) {
  std::size_t head_end = end_of_head(bytes);
  if (std::min(head_end, bytes.size()) > head_bytes_max)
    return Malformed{"431 Request Header Fields Too Large"};
  if (head_end == std::string_view::npos) return Incomplete{};
  HttpRequest request;
  std::string_view head = bytes.substr(0, head_end);
  if (!read_first_line(take_line(head), request) || !read_headers(head, request))
    return Malformed{"400 Bad Request"};
  std::optional<std::size_t> length = length_of(request);
  if (!length || request.headers.contains("transfer-encoding")) return Malformed{"400 Bad Request"};
  if (*length > body_bytes_max) return Malformed{"413 Content Too Large"};
  if (bytes.size() - head_end < *length) return Incomplete{};
  request.body = bytes.substr(head_end, *length);
  return request;
}

bool is_own_host(std::string_view host, std::string_view listen, std::string_view address) {
  std::string name = host_in(host);
  return is_loopback(name) || name == host_in(listen) || name == host_in(address);
}

bool is_same_origin(const HttpRequest& request) {
  if (!request.headers.contains("origin")) return true;
  std::string origin = small(request.header("origin"));
  std::string host = small(request.header("host"));
  return !host.empty() && (origin == "http://" + host || origin == "https://" + host);
}

}  // namespace conch::http
