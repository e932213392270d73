#include "cli/lock_table.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/peer_line.hpp"

namespace conch::cli {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t count_max = 200;
/// How many waiters of each lock are shown; more if only one lock is shown.
constexpr std::size_t waiters_max = 6;
constexpr std::size_t waiters_of_one_max = 500;

std::size_t number_or(std::string_view text, std::size_t otherwise) {
  std::size_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : otherwise;
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool has_in_it(const std::string& name, const std::string& sought) {
  auto found = std::search(name.begin(), name.end(), sought.begin(), sought.end(),
                           [](char a, char b) { return small(a) == small(b); });
  return found != name.end() || sought.empty();
}

bool comes_before(const LockRow& a, const LockRow& b, LockQuery::Order order) {
  switch (order) {
    case LockQuery::Order::rate:
      if (a.rate != b.rate) return a.rate > b.rate;
      break;
    case LockQuery::Order::age:
      if (a.age != b.age) return a.age > b.age;
      break;
    case LockQuery::Order::queue:
      if (a.queue != b.queue) return a.queue > b.queue;
      if (a.held() != b.held()) return a.held();
      break;
    case LockQuery::Order::name: break;
  }
  return a.name < b.name;
}

ordered_json json_of(const std::vector<GroupStatus::Claim>& parts, std::size_t at_most) {
  auto json = ordered_json::array();
  for (const auto& part : parts) {
    if (json.size() == at_most) break;
    json.push_back({{"member", id_text(NodeId{part.member})},
                    {"shared", part.shared},
                    {"since_s", seconds_of(part.since)},
                    {"in_line", part.in_line}});
  }
  return json;
}

ordered_json json_of(const LockRow& row, std::size_t waiters) {
  ordered_json json{{"lock", row.name},
                    {"holders", json_of(row.status.holders, waiters)},
                    {"waiters", json_of(row.status.waiters, waiters)},
                    {"queue", row.queue},
                    {"age_s", seconds_of(row.age)},
                    {"rate", row.rate}};
  if (row.held()) json["fence"] = std::to_string(row.status.fence);  // JavaScript has 53 bits.
  if (row.status.token) json["token"] = id_text(NodeId{*row.status.token});
  return json;
}

LockRow row_of(const std::string& name, GroupStatus::Lock status) {
  LockRow row{name, std::move(status)};
  for (const auto& part : row.status.holders) row.queue += part.in_line;
  for (const auto& part : row.status.waiters) row.queue += 1 + part.in_line;
  for (const auto& part : row.status.holders) row.age = std::max(row.age, part.since);
  for (const auto& part : row.status.waiters) row.age = std::max(row.age, part.since);
  return row;
}

}  // namespace

LockQuery lock_query(std::string_view find, std::string_view lock, std::string_view busy,
                     std::string_view order, std::string_view from, std::string_view count) {
  LockQuery query{.find = std::string(find), .lock = std::string(lock), .busy = busy == "1"};
  if (order == "rate") query.order = LockQuery::Order::rate;
  if (order == "age") query.order = LockQuery::Order::age;
  if (order == "name") query.order = LockQuery::Order::name;
  query.from = number_or(from, query.from);
  query.count = std::min(number_or(count, query.count), count_max);
  return query;
}

LockTable::LockTable(const node::Status& status, const LockTable& before, Duration since) {
  auto locks = locks_of(status);
  rows_.reserve(locks.size());  // Rows must not move: fences_ refers to their names.
  for (auto& [name, lock] : locks) {
    LockRow& row = rows_.emplace_back(row_of(name, std::move(lock)));
    held_ += row.held();
    waited_ += row.queue > 0;
    waiting_ += row.queue;
    auto known = before.fences_.find(name);
    std::uint64_t earlier = known == before.fences_.end() ? 0 : known->second;
    std::uint64_t fence = row.held() ? row.status.fence : earlier;
    if (fence > 0) fences_[row.name] = fence;
    bool same_epoch = Fence(fence).epoch() == Fence(earlier).epoch();
    if (same_epoch && fence > earlier && since > Duration::zero())
      row.rate = static_cast<double>(fence - earlier) / seconds_of(since);
  }
}

std::vector<const LockRow*> LockTable::found(const LockQuery& query) const {
  std::vector<const LockRow*> found;
  for (const LockRow& row : rows_) {
    bool is_wanted = query.lock.empty() ? has_in_it(row.name, query.find) : row.name == query.lock;
    if (is_wanted && (!query.busy || row.held() || row.queue > 0)) found.push_back(&row);
  }
  return found;
}

ordered_json LockTable::window(const LockQuery& query) const {
  std::vector<const LockRow*> rows = found(query);
  std::size_t from = std::min(query.from, rows.size());
  std::size_t end = std::min(from + query.count, rows.size());
  std::partial_sort(
      rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(end), rows.end(),
      [&](const LockRow* a, const LockRow* b) { return comes_before(*a, *b, query.order); });
  ordered_json json{{"found", rows.size()}, {"from", from}, {"locks", ordered_json::array()}};
  std::size_t waiters = query.lock.empty() ? waiters_max : waiters_of_one_max;
  for (std::size_t i = from; i < end; ++i) json["locks"].push_back(json_of(*rows[i], waiters));
  return json;
}

}  // namespace conch::cli
