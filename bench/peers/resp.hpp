// A client of Redis that encodes RESP itself, so that no library's overhead is measured.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "connection.hpp"

namespace conch::bench {

/// The encoded command.
std::string command(std::initializer_list<std::string_view> words);

class Redis {
 public:
  explicit Redis(Descriptor socket) : connection_(std::move(socket)) {}

  void send(std::string_view command) { connection_.send(command); }
  /// The reply as text: the last element of an array; empty for nil.
  std::optional<std::string> reply();
  std::optional<std::string> ask(std::string_view command);

  // For values that are too large to copy.

  void set(std::string_view key, std::string_view value);
  /// Throws if the value has another size.
  void get(std::string_view key, std::span<char> into);

  /// The server's version, as it reports it.
  std::string version();
  const Traffic& traffic() const { return connection_.traffic(); }

 private:
  std::optional<std::string> element();
  std::optional<std::string> bulk(long size);
  std::optional<std::string> last_of(long count);

  Connection connection_;
};

}  // namespace conch::bench
