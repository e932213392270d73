// What is said to etcd, and what it answers: the JSON of its gateway (api v3, rpc.proto). Bytes are
// in base64 there, and large numbers are strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace conch::etcd {

/// A key, or all from it to before `end`.
struct Keys {
  std::string key;
  std::string end = {};
};
/// All that begin like this, which does not end with the last of all bytes.
Keys beginning_with(const std::string& prefix);

/// Of each of the keys; for keys that are not there, revisions are 0 and no value is the same.
struct Condition {
  enum class Of : std::uint8_t { creation, change, value } of{};
  Keys keys;
  std::int64_t revision = 0;
  std::string value = {};
};

struct Put {
  std::string key;
  std::string value;
  /// With which the key goes; 0: none.
  std::int64_t lease = 0;
};
struct Remove {
  std::string key;
};
struct Get {
  Keys keys;
  /// Only the last of them.
  bool last = false;
};
using Step = std::variant<Put, Remove, Get>;

/// In one go.
struct Transaction {
  std::vector<Condition> when = {};
  std::vector<Step> then = {};
  std::vector<Step> otherwise = {};
};

struct Item {
  std::string key;
  std::string value;
  /// Revisions: of the store as a whole, which counts on with every change.
  std::int64_t created = 0;
  std::int64_t changed = 0;
  friend bool operator==(const Item&, const Item&) = default;
};

/// Who answers, and how far it is.
struct Header {
  std::string cluster;
  std::int64_t revision = 0;
  friend bool operator==(const Header&, const Header&) = default;
};

struct Outcome {
  Header header;
  bool succeeded = false;
  /// What each Get has found.
  std::vector<std::vector<Item>> found = {};
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Event {
  /// A removed one has a key, and when it was.
  Item item;
  bool removed = false;
  friend bool operator==(const Event&, const Event&) = default;
};

/// A line of a watch.
struct News {
  Header header;
  std::vector<Event> events = {};
  /// It says no more, because of this; or what was asked for is no longer there: from `compacted`
  /// on it is.
  bool canceled = false;
  std::string why = {};
  std::int64_t compacted = 0;
  friend bool operator==(const News&, const News&) = default;
};

/// What it says instead of an answer. The codes are gRPC's.
struct Complaint {
  int code = 0;
  std::string text;
  friend bool operator==(const Complaint&, const Complaint&) = default;
};
inline constexpr int code_not_found = 5;
inline constexpr int code_forbidden = 7;
inline constexpr int code_unauthenticated = 16;

std::string to_json(const Transaction& transaction);
std::string watch_request(const Keys& keys, std::int64_t from);
std::string grant_request(std::int64_t ttl_s);
std::string authenticate_request(const std::string& user, const std::string& password);

/// All throw std::invalid_argument for what is something else.
Outcome read_outcome(std::string_view json);
std::int64_t read_grant(std::string_view json);
std::string read_token(std::string_view json);
/// A watch complains in a line.
std::variant<News, Complaint> read_news(std::string_view json);
Complaint read_complaint(std::string_view json);

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

}  // namespace conch::etcd
