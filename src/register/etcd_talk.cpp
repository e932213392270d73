#include "register/etcd_talk.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace conch::etcd {

namespace {

using Json = nlohmann::json;

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument(what); }

// Requests.

Json to_json(const Keys& keys) {
  Json json{{"key", to_base64(keys.key)}};
  if (!keys.end.empty()) json["range_end"] = to_base64(keys.end);
  return json;
}

Json to_json(const Condition& condition) {
  Json json = to_json(condition.keys);
  json["result"] = "EQUAL";
  switch (condition.of) {
    case Condition::Of::creation:
      json["target"] = "CREATE";
      json["create_revision"] = std::to_string(condition.revision);
      break;
    case Condition::Of::change:
      json["target"] = "MOD";
      json["mod_revision"] = std::to_string(condition.revision);
      break;
    case Condition::Of::value:
      json["target"] = "VALUE";
      json["value"] = to_base64(condition.value);
      break;
  }
  return json;
}

Json to_json(const Put& put) {
  Json json{{"key", to_base64(put.key)}, {"value", to_base64(put.value)}};
  if (put.lease != 0) json["lease"] = std::to_string(put.lease);
  return {{"request_put", std::move(json)}};
}
Json to_json(const Remove& remove) {
  return {{"request_delete_range", {{"key", to_base64(remove.key)}}}};
}
Json to_json(const Get& get) {
  Json json = to_json(get.keys);
  if (get.last) {
    json["sort_order"] = "DESCEND";
    json["sort_target"] = "KEY";
    json["limit"] = "1";
  }
  return {{"request_range", std::move(json)}};
}

Json to_json(const std::vector<RequestOp>& steps) {
  Json json = Json::array();
  for (const RequestOp& step : steps)
    json.push_back(std::visit([](const auto& one) { return to_json(one); }, step));
  return json;
}

// Answers.

Json parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) fail("it is not a JSON object");
  return json;
}

/// The gateway leaves out fields that are zero, empty or false.
const Json* field(const Json& json, const char* name) {
  auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

template <class Number>
Number number(const Json& json, const char* name) {
  const Json* found = field(json, name);
  if (!found) return 0;
  std::string text = found->is_string() ? found->get<std::string>() : found->dump();
  Number value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    fail(std::string(name) + " is not a number");
  return value;
}

std::string text(const Json& json, const char* name) {
  const Json* found = field(json, name);
  if (!found) return "";
  if (!found->is_string()) fail(std::string(name) + " is not a text");
  return found->get<std::string>();
}

std::string bytes(const Json& json, const char* name) {
  std::optional<std::string> decoded = from_base64(text(json, name));
  if (!decoded) fail(std::string(name) + " is not base64");
  return *decoded;
}

bool flag(const Json& json, const char* name) {
  const Json* found = field(json, name);
  if (found && !found->is_boolean()) fail(std::string(name) + " is neither true nor false");
  return found && found->get<bool>();
}

const Json& object(const Json& json, const char* name) {
  static const Json none = Json::object();
  const Json* found = field(json, name);
  if (found && !found->is_object()) fail(std::string(name) + " is not an object");
  return found ? *found : none;
}

/// Calls `call` for each object of a list.
template <class Call>
void each(const Json& json, const char* name, Call&& call) {
  const Json* found = field(json, name);
  if (!found) return;
  if (!found->is_array()) fail(std::string(name) + " is not a list");
  for (const Json& one : *found) {
    if (!one.is_object()) fail(std::string(name) + " contains something other than objects");
    call(one);
  }
}

Header read_header(const Json& json) {
  const Json& header = object(json, "header");
  return {text(header, "cluster_id"), number<std::int64_t>(header, "revision")};
}

Item read_item(const Json& json) {
  return {bytes(json, "key"), bytes(json, "value"), number<std::int64_t>(json, "create_revision"),
          number<std::int64_t>(json, "mod_revision")};
}

}  // namespace

Keys beginning_with(const std::string& prefix) {
  Keys keys{prefix, prefix};
  ++keys.end.back();
  return keys;
}

std::string to_json(const Transaction& transaction) {
  Json when = Json::array();
  for (const Condition& condition : transaction.when) when.push_back(to_json(condition));
  return Json{{"compare", std::move(when)},
              {"success", to_json(transaction.then)},
              {"failure", to_json(transaction.otherwise)}}
      .dump();
}

std::string watch_request(const Keys& keys, std::int64_t from) {
  Json json = to_json(keys);
  json["start_revision"] = std::to_string(from);
  json["fragment"] = true;
  return Json{{"create_request", std::move(json)}}.dump();
}

std::string grant_request(std::int64_t ttl_s) {
  return Json{{"TTL", std::to_string(ttl_s)}}.dump();
}

std::string authenticate_request(const std::string& user, const std::string& password) {
  // A password may contain any bytes, but JSON is UTF-8.
  return Json{{"name", user}, {"password", password}}.dump(-1, ' ', false,
                                                           Json::error_handler_t::replace);
}

TransactionResult read_outcome(std::string_view json) {
  Json all = parsed(json);
  TransactionResult outcome{read_header(all), flag(all, "succeeded")};
  if (outcome.header.cluster.empty()) fail("it does not name its cluster");
  each(all, "responses", [&](const Json& response) {
    const Json* range = field(response, "response_range");
    if (!range) return;
    if (!range->is_object()) fail("response_range is not an object");
    std::vector<Item>& items = outcome.found.emplace_back();
    each(*range, "kvs", [&](const Json& item) { items.push_back(read_item(item)); });
  });
  return outcome;
}

std::int64_t read_grant(std::string_view json) {
  auto lease = number<std::int64_t>(parsed(json), "ID");
  if (lease == 0) fail("a lease without a number");
  return lease;
}

std::string read_token(std::string_view json) {
  std::string token = text(parsed(json), "token");
  bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return ' ' < c && c <= '~'; });
  if (token.empty() || !printable) fail("a token that does not fit into a header");
  return token;
}

std::variant<WatchUpdate, Complaint> read_news(std::string_view json) {
  Json all = parsed(json);
  if (const Json* error = field(all, "error")) {
    if (!error->is_object()) return read_complaint(json);
    return Complaint{number<int>(*error, "grpc_code"), text(*error, "message")};
  }
  const Json& result = object(all, "result");
  WatchUpdate news{read_header(result)};
  news.canceled = flag(result, "canceled");
  news.why = text(result, "cancel_reason");
  news.compacted = number<std::int64_t>(result, "compact_revision");
  each(result, "events", [&](const Json& event) {
    news.events.push_back({read_item(object(event, "kv")), text(event, "type") == "DELETE"});
  });
  return news;
}

/// If something other than etcd answers in its place, returns the beginning of its text.
Complaint read_complaint(std::string_view json) {
  constexpr std::size_t shown_bytes_max = 200;
  Json all = Json::parse(json, nullptr, false);
  if (all.is_object() && all.contains("error") && all["error"].is_string()) {
    bool has_code = all.contains("code") && all["code"].is_number_unsigned();
    return {has_code ? all["code"].get<int>() : 0, all["error"].get<std::string>()};
  }
  std::string shown(json.substr(0, shown_bytes_max));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = ' ';
  return {0, shown};
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= group.size() ? digits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  static const std::array<int, 256> values = [] {
    std::array<int, 256> table{};
    table.fill(-1);
    for (std::size_t i = 0; i < digits.size(); ++i)
      table[static_cast<unsigned char>(digits[i])] = static_cast<int>(i);
    return table;
  }();
  std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int held = 0;
  for (char c : text) {
    int value = values[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xffffffU;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xffU);
  }
  if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace conch::etcd
