#include "wire/address.hpp"

#include <algorithm>
#include <charconv>

#include "wire/limits.hpp"

namespace conch::wire {

namespace {

constexpr std::string_view unix_prefix = "unix:";
constexpr std::string_view tcp_prefix = "tcp:";
constexpr std::string_view digits = "0123456789abcdef";

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }
bool all_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_visible);
}

std::string escaped(std::string_view path) {
  std::string text;
  for (char c : path) {
    if (is_visible(c) && c != '%') {
      text += c;
      continue;
    }
    auto byte = static_cast<unsigned char>(c);
    text += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return text;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string path;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      path += text[at];
      continue;
    }
    if (text.size() - at < 3) return std::nullopt;
    std::size_t high = digits.find(text[at + 1]);
    std::size_t low = digits.find(text[at + 2]);
    if (high == std::string_view::npos || low == std::string_view::npos || high + low == 0)
      return std::nullopt;
    path += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return path;
}

std::optional<Way> parse_unix(std::string_view text) {
  std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  std::optional<std::string> path = unescaped(text.substr(colon + 1));
  if (!path || !path->starts_with('/')) return std::nullopt;
  return UnixWay{std::string(text.substr(0, colon)), std::move(*path)};
}

std::optional<Way> parse_way(std::string_view text) {
  if (text.starts_with(unix_prefix)) return parse_unix(text.substr(unix_prefix.size()));
  if (!text.starts_with(tcp_prefix)) return std::nullopt;
  std::optional<TcpWay> way = parse_host_and_port(text.substr(tcp_prefix.size()));
  if (!way || way->port == 0) return std::nullopt;
  return *way;
}

}  // namespace

std::string print(const TcpWay& way) {
  bool bracketed = way.host.find(':') != std::string::npos;
  return (bracketed ? "[" + way.host + "]" : way.host) + ":" + std::to_string(way.port);
}

std::string print(const Way& way) {
  if (const auto* tcp = std::get_if<TcpWay>(&way)) return std::string(tcp_prefix) + print(*tcp);
  const auto& local = std::get<UnixWay>(way);
  return std::string(unix_prefix) + local.boot + ":" + escaped(local.path);
}

std::string print(const Ways& ways) {
  std::string text;
  for (const Way& way : ways) text += (text.empty() ? "" : " ") + print(way);
  return text;
}

std::optional<TcpWay> parse_host_and_port(std::string_view text) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !all_visible(text)) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  std::string_view port = text.substr(colon + 1);
  bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  bool numbers_of_ipv6 = host.find(':') != std::string_view::npos;
  if (host.empty() || bracketed != numbers_of_ipv6) return std::nullopt;
  TcpWay way{std::string(host), 0};
  auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), way.port);
  if (error != std::errc() || end != port.data() + port.size()) return std::nullopt;
  return way;
}

std::optional<Ways> parse_address(std::string_view text) {
  if (text.empty() || text.size() > address_bytes_max) return std::nullopt;
  Ways ways;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    std::optional<Way> way = all_visible(part) ? parse_way(part) : std::nullopt;
    if (!way) return std::nullopt;
    ways.push_back(std::move(*way));
    begin = end + 1;
  }
  return ways;
}

Ways usable(const Ways& ways, const HostInfo& here, bool tcp_only) {
  Ways sockets;
  Ways others;
  for (const Way& way : ways) {
    const auto* local = std::get_if<UnixWay>(&way);
    if (!local) {
      others.push_back(way);
    } else if (!tcp_only && local->boot == here.boot()) {
      std::string path = here.path_here(local->path);
      if (!path.empty()) sockets.emplace_back(UnixWay{local->boot, std::move(path)});
    }
  }
  sockets.insert(sockets.end(), others.begin(), others.end());
  return sockets;
}

}  // namespace conch::wire
