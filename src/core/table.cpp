#include "core/table.hpp"

#include <algorithm>
#include <set>

#include "core/expect.hpp"

namespace conch {

void Table::group(std::string title, std::size_t columns) {
  groups_.push_back({std::move(title), columns});
}

void Table::row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

void Table::align_left(std::size_t column) { left_.push_back(column); }

bool Table::left(std::size_t column) const {
  return std::find(left_.begin(), left_.end(), column) != left_.end();
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += "  ";
    std::string blanks(widths[i] - std::min(widths[i], cells[i].size()), ' ');
    text += left(i) ? cells[i] + blanks : blanks + cells[i];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(columns_[i].size());
    for (const auto& row : rows_) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  std::size_t column = 0;
  for (const Group& group : groups_) {
    std::size_t width = 2 * (group.columns - 1);
    for (std::size_t i = 0; i < group.columns; ++i) width += widths[column++];
    if (!text.empty()) text += "  ";
    std::size_t blanks = width - std::min(width, group.title.size());
    text += std::string(blanks / 2, ' ') + group.title + std::string(blanks - blanks / 2, ' ');
  }
  text.erase(text.find_last_not_of(' ') + 1);
  if (!groups_.empty()) text += "\n";
  text += line(columns_, widths);
  std::vector<std::string> rules;
  for (std::size_t width : widths) rules.emplace_back(width, '-');
  text += line(rules, widths);
  for (const auto& row : rows_) text += line(row, widths);
  return text;
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> names = columns_;
  std::size_t column = 0;
  for (const Group& group : groups_) {
    for (std::size_t i = 0; i < group.columns; ++i, ++column)
      if (!group.title.empty()) names[column] = group.title + ": " + names[column];
  }
  std::set<std::string> different(names.begin(), names.end());
  CONCH_EXPECT(different.size() == names.size(), "columns of a file have different names");
  CONCH_EXPECT(!different.contains(""), "every column of a file has a name");
  return names;
}

std::string Table::csv() const {
  auto quoted = [](const std::string& cell) {
    if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
    std::string text = "\"";
    for (char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
    return text + "\"";
  };
  auto join = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? "," : "") + quoted(cells[i]);
    return text + "\n";
  };
  std::string text = join(names());
  for (const auto& row : rows_) text += join(row);
  return text;
}

}  // namespace conch
