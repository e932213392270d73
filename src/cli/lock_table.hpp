// The locks of a group, as one survey found them: sorted, searched, and shown a window at a time,
// for there may be many thousands.
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
  /// Who waits, with those in line at their peers.
  std::uint64_t queue = 0;
  /// How long it has been held, or somebody has waited; the longer of them.
  Duration age{};
  /// Entries a second since the survey before, as far as its fences tell.
  double rate = 0;

  bool held() const { return !status.holders.empty(); }
};

/// Which part is wanted.
struct LockQuery {
  enum class Order : std::uint8_t { rate, age, queue, name };

  /// In the name, wherever; small and capital letters of ASCII are the same.
  std::string find = {};
  /// This one and no other, with all who wait.
  std::string lock = {};
  /// Only those that are held or waited for.
  bool busy = false;
  Order order = Order::queue;
  std::size_t from = 0;
  std::size_t count = 100;
};
/// What is missing or makes no sense is as without; `count` is bounded.
LockQuery lock_query(std::string_view find, std::string_view lock, std::string_view busy,
                     std::string_view order, std::string_view from, std::string_view count);

class LockTable {
 public:
  LockTable() = default;
  LockTable(LockTable&&) = default;
  LockTable& operator=(LockTable&&) = default;
  /// Rates are those since `before`, so long ago.
  LockTable(const node::Status& status, const LockTable& before, Duration since);

  std::size_t size() const { return rows_.size(); }
  std::size_t held() const { return held_; }
  /// Locks that somebody waits for, and who waits for any.
  std::size_t waited() const { return waited_; }
  std::uint64_t waiting() const { return waiting_; }

  /// `{"found": 7, "from": 0, "locks": [...]}`.
  nlohmann::ordered_json window(const LockQuery& query) const;

 private:
  std::vector<const LockRow*> found(const LockQuery& query) const;

  /// By name.
  std::vector<LockRow> rows_;
  /// The last of each that was seen.
  std::unordered_map<std::string_view, std::uint64_t> fences_;
  std::size_t held_ = 0;
  std::size_t waited_ = 0;
  std::uint64_t waiting_ = 0;
};

}  // namespace conch::cli
