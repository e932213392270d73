// A run measures every contender with every number of processes, several times, free and pinned.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cell.hpp"
#include "contender.hpp"
#include "process.hpp"

namespace conch::bench {

inline constexpr std::array process_counts{2, 4, 8};

struct Plan {
  /// The duration of each measurement.
  double seconds = 1;
  int rounds = 3;
  /// Measures contenders whose name contains one of these; all if empty.
  std::vector<std::string> only;
};

/// A median, or why there is none.
struct Cell {
  std::optional<Reading> reading;
  std::string failure;
};

struct Row {
  std::string name;
  /// The cells by number of processes.
  std::map<int, Cell> cells;

  const Reading* reading(int processes) const;
};

/// A number, or why there is none.
struct Figure {
  std::optional<double> value;
  std::string failure;
};

/// All results with the processes free, or all with them pinned.
struct Sheet {
  std::string title;
  double tcp_ns = 0;
  double unix_ns = 0;
  std::vector<Row> rows;
  std::vector<std::string> versions;
  Figure reacquire_ns;
  /// The rate with a thousand locks in percent of that with one, each with eight processes.
  Figure thousand_locks_percent;
  Figure idle_lock_bytes;

  const Row* row(const std::string& name) const;
};

struct Result {
  Sheet pinned;
  Sheet free;
};

/// The names of the rows that have targets.
inline constexpr const char* naimi_trehel_tcp = "conch naimi-trehel, TCP";
inline constexpr const char* minimal = "minimal TCP server";
inline constexpr const char* best_redis = "Redis, BLPOP";

Result run(const Plan& plan, const Affinity& affinity);

}  // namespace conch::bench
