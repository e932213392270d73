#include "resp.hpp"

#include <fmt/core.h>

#include <charconv>
#include <stdexcept>

namespace conch::bench {

namespace {

long number_in(std::string_view head) {
  long number = 0;
  std::from_chars(head.data() + 1, head.data() + head.size(), number);
  return number;
}

}  // namespace

std::string command(std::initializer_list<std::string_view> words) {
  std::string text = fmt::format("*{}\r\n", words.size());
  for (std::string_view word : words) text += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return text;
}

std::optional<std::string> Redis::reply() {
  auto value = element();
  connection_.count_received();
  return value;
}

std::optional<std::string> Redis::ask(std::string_view command) {
  send(command);
  return reply();
}

void Redis::set(std::string_view key, std::string_view value) {
  std::string head =
      fmt::format("*3\r\n$3\r\nSET\r\n${}\r\n{}\r\n${}\r\n", key.size(), key, value.size());
  connection_.send(head, value, "\r\n");
  reply();
}

void Redis::get(std::string_view key, std::span<char> into) {
  send(command({"GET", key}));
  std::string head(connection_.line());
  if (head.at(0) != '$' || number_in(head) != static_cast<long>(into.size()))
    throw std::runtime_error("Redis has another value than was set: " + head);
  connection_.read_into(into);
  connection_.exactly(2);
  connection_.count_received();
}

std::string Redis::version() {
  constexpr std::string_view field = "redis_version:";
  std::string info = ask(command({"INFO", "server"})).value_or("");
  std::size_t at = info.find(field);
  if (at == std::string::npos) return "Redis ?";
  at += field.size();
  return "Redis " + info.substr(at, info.find('\r', at) - at);
}

std::optional<std::string> Redis::element() {
  std::string head(connection_.line());
  switch (head.at(0)) {
    case '+':
    case ':': return head.substr(1);
    case '$': return bulk(number_in(head));
    case '*': return last_of(number_in(head));
    default: throw std::runtime_error("Redis says: " + head);
  }
}

std::optional<std::string> Redis::bulk(long size) {
  if (size < 0) return std::nullopt;
  std::string text(connection_.exactly(static_cast<std::size_t>(size)));
  connection_.exactly(2);
  return text;
}

std::optional<std::string> Redis::last_of(long count) {
  std::optional<std::string> last;
  for (long i = 0; i < count; ++i) last = element();
  return last;
}

}  // namespace conch::bench
