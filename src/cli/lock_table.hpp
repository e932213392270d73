// The locks of a group from one survey: sorted, searched, and shown one window at a time, because
// there may be many thousands.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/status_report.hpp"

namespace conch::cli {

struct LockRow {
  std::string name;
  GroupStatus::Lock status;
  /// How many wait, including those queued at their peers.
  std::uint64_t queue = 0;
  /// How long it has been held or waited for, whichever is longer.
  Duration age{};
  /// Entries per second since the previous survey, as its fences show.
  double rate = 0;

  bool held() const { return !status.holders.empty(); }
};

/// Selects a part of the table.
struct LockQuery {
  enum class Order : std::uint8_t { rate, age, queue, name };

  /// Part of the name; ignores the case of ASCII letters.
  std::string find = {};
  /// Only this lock, with all its waiters.
  std::string lock = {};
  /// Only locks that are held or waited for.
  bool busy = false;
  Order order = Order::queue;
  std::size_t from = 0;
  std::size_t count = 100;
};
/// Missing or malformed parameters get their defaults; `count` is capped.
LockQuery lock_query(std::string_view find, std::string_view lock, std::string_view busy,
                     std::string_view order, std::string_view from, std::string_view count);

class LockTable {
 public:
  LockTable() = default;
  LockTable(LockTable&&) = default;
  LockTable& operator=(LockTable&&) = default;
  /// Rates are computed since `before`, which was taken `since` ago.
  LockTable(const node::Status& status, const LockTable& before, Duration since);

  std::size_t size() const { return rows_.size(); }
  std::size_t held() const { return held_; }
  /// The number of locks that have waiters, and of waiters over all locks.
  std::size_t waited() const { return waited_; }
  std::uint64_t waiting() const { return waiting_; }

  /// `{"found": 7, "from": 0, "locks": [...]}`.
  nlohmann::ordered_json window(const LockQuery& query) const;

 private:
  std::vector<const LockRow*> found(const LockQuery& query) const;

  /// Sorted by name.
  std::vector<LockRow> rows_;
  /// The last fence seen of each lock; the keys refer to the names in rows_.
  std::unordered_map<std::string_view, std::uint64_t> fences_;
  std::size_t held_ = 0;
  std::size_t waited_ = 0;
  std::uint64_t waiting_ = 0;
};

}  // namespace conch::cli
