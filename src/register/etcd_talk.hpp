// Requests to etcd and its answers: the JSON of its gateway (API v3, rpc.proto). There, bytes are
// base64, and large numbers are strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace conch::etcd {

/// One key, or the range from `key` up to but without `end`.
struct Keys {
  std::string key;
  std::string end = {};
};
/// All keys with this prefix, which must not end with byte 255.
Keys beginning_with(const std::string& prefix);

/// Must hold for each of the keys. A key that does not exist has revision 0, and no value equals
/// its value.
struct Condition {
  enum class Of : std::uint8_t { creation, change, value } of{};
  Keys keys;
  std::int64_t revision = 0;
  std::string value = {};
};

struct Put {
  std::string key;
  std::string value;
  /// The etcd lease with which the key expires; 0 for none.
  std::int64_t lease = 0;
};
struct Remove {
  std::string key;
};
struct Get {
  Keys keys;
  /// Returns only the last of them.
  bool last = false;
};
using RequestOp = std::variant<Put, Remove, Get>;

/// etcd carries it out atomically.
struct Transaction {
  std::vector<Condition> when = {};
  std::vector<RequestOp> then = {};
  std::vector<RequestOp> otherwise = {};
};

struct Item {
  std::string key;
  std::string value;
  /// Revisions of the whole store, which grow with every change.
  std::int64_t created = 0;
  std::int64_t changed = 0;
  friend bool operator==(const Item&, const Item&) = default;
};

/// The cluster that answers, and its revision.
struct Header {
  std::string cluster;
  std::int64_t revision = 0;
  friend bool operator==(const Header&, const Header&) = default;
};

struct TransactionResult {
  Header header;
  bool succeeded = false;
  /// What each Get has found, in order.
  std::vector<std::vector<Item>> found = {};
  friend bool operator==(const TransactionResult&, const TransactionResult&) = default;
};

struct WatchEvent {
  /// For a removal only the key and its revision are set.
  Item item;
  bool removed = false;
  friend bool operator==(const WatchEvent&, const WatchEvent&) = default;
};

/// One line of a watch.
struct WatchUpdate {
  Header header;
  std::vector<WatchEvent> events = {};
  /// The watch has ended, for the reason `why`; or the requested revisions are gone, and history
  /// starts at `compacted`.
  bool canceled = false;
  std::string why = {};
  std::int64_t compacted = 0;
  friend bool operator==(const WatchUpdate&, const WatchUpdate&) = default;
};

/// An error answer; the codes are those of gRPC.
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

/// All of these throw std::invalid_argument for malformed input.
TransactionResult read_outcome(std::string_view json);
std::int64_t read_grant(std::string_view json);
std::string read_token(std::string_view json);
/// A watch reports an error as a line.
std::variant<WatchUpdate, Complaint> read_news(std::string_view json);
Complaint read_complaint(std::string_view json);

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

}  // namespace conch::etcd
