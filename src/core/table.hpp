// A table for a terminal and for a file.
#pragma once

#include <string>
#include <vector>

namespace conch {

class Table {
 public:
  /// A title above this many columns; empty for none.
  struct Group {
    std::string title;
    std::size_t columns;
  };

  /// The first column is aligned left, the others right, unless said otherwise.
  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  /// A line above the columns' names: each title spans the given number of columns.
  void group(std::string title, std::size_t columns);
  void row(std::vector<std::string> cells);
  /// For a column of texts, which read better from the left.
  void align_left(std::size_t column);

  std::string text() const;
  std::string csv() const;
  const std::vector<std::string>& columns() const { return columns_; }
  /// The names of the columns, each with the title above it, as in a file: no two are the same.
  std::vector<std::string> names() const;
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  const std::vector<Group>& groups() const { return groups_; }
  bool left(std::size_t column) const;

 private:
  std::string line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;

  std::vector<std::string> columns_;
  std::vector<Group> groups_;
  std::vector<std::size_t> left_{0};
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace conch
