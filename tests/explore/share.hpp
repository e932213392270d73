// Chooses the next family: the one, of those that can run, that has been given the least time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace conch::explore {

class Share {
 public:
  struct Account {
    /// About how long a task takes, and how many may run at once.
    double task_s = 2;
    unsigned at_once_max = 1000;
    double spent_s = 0;
    unsigned running = 0;
    bool closed = false;
  };

  explicit Share(std::vector<Account> accounts) : accounts_(std::move(accounts)) {}

  /// Begins a task of a family and returns which; none if no family may run now or the time is
  /// short.
  std::optional<std::size_t> begin(double left_s) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
      const Account& each = accounts_[i];
      if (each.closed || each.running >= each.at_once_max || each.task_s > left_s) continue;
      if (!best || claim(each) < claim(accounts_[*best])) best = i;
    }
    if (best) ++accounts_[*best].running;
    return best;
  }
  void end(std::size_t which, double took_s) {
    --accounts_[which].running;
    accounts_[which].spent_s += took_s;
  }
  /// The family cannot run here.
  void close(std::size_t which) { accounts_[which].closed = true; }
  const Account& operator[](std::size_t which) const { return accounts_[which]; }

 private:
  /// The time that the family will have had after one more task. So a long task comes after the
  /// first short ones.
  static double claim(const Account& account) {
    return account.spent_s + (account.running + 1) * account.task_s;
  }

  std::vector<Account> accounts_;
};

}  // namespace conch::explore
