#include "explore/task.hpp"

#include <algorithm>
#include <charconv>

namespace conch::explore {

namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Smaller numbers to try: the least one, half of it, and one less.
std::vector<std::uint64_t> below(std::uint64_t number, std::uint64_t least) {
  std::vector<std::uint64_t> list;
  if (number <= least) return list;
  for (std::uint64_t each : {least, std::max(least, number / 2), number - 1})
    if (std::find(list.begin(), list.end(), each) == list.end()) list.push_back(each);
  return list;
}

std::vector<std::string> lowered(const Option& option) {
  std::vector<std::string> list;
  std::string_view text = option.value;
  auto dots = text.find("..");
  std::string first(dots == text.npos ? "" : text.substr(0, dots));
  auto last = number_in(dots == text.npos ? text : text.substr(dots + 2));
  std::uint64_t least = std::max(option.least, number_in(first).value_or(0));
  for (std::uint64_t each : below(last.value_or(0), least))
    list.push_back(first.empty() || each == number_in(first) ? std::to_string(each)
                                                             : first + ".." + std::to_string(each));
  return list;
}

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    auto comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == text.npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

/// Variants of `name=4` with the number lowered to 0, to half and by one; or of `4`, which stays at
/// least 1.
std::vector<std::string> lowered_part(const std::string& part) {
  auto equals = part.find('=');
  std::string name = equals == part.npos ? "" : part.substr(0, equals + 1);
  std::vector<std::string> list;
  for (std::uint64_t each :
       below(number_in(part.substr(name.size())).value_or(0), name.empty() ? 1 : 0))
    list.push_back(name + std::to_string(each));
  return list;
}

std::vector<std::string> shortened(const Option& option) {
  std::vector<std::string> list;
  std::vector<std::string> parts = parts_of(option.value);
  for (std::size_t i = 0; option.smaller == Smaller::list && i < parts.size(); ++i) {
    std::vector<std::string> fewer = parts;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (!fewer.empty()) list.push_back(joined(fewer));
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const std::string& part : lowered_part(parts[i])) {
      std::vector<std::string> less = parts;
      less[i] = part;
      list.push_back(joined(less));
    }
  return list;
}

std::vector<std::string> smaller_values(const Option& option) {
  switch (option.smaller) {
    case Smaller::never:
    case Smaller::drop: return {};
    case Smaller::lower: return lowered(option);
    case Smaller::list:
    case Smaller::counts: return shortened(option);
  }
  return {};
}

std::vector<std::string> words_without_seeds(const Task& task) {
  std::vector<std::string> words{task.program};
  words.insert(words.end(), task.words.begin(), task.words.end());
  for (const Option& option : task.options) {
    words.push_back(option.name);
    if (!option.value.empty()) words.push_back(option.value);
  }
  return words;
}

void add_seeds(std::vector<std::string>& words, const Task& task, const Seeds& seeds) {
  std::string first = std::to_string(seeds.first);
  std::uint64_t end = seeds.first + seeds.count;
  switch (task.seeding) {
    case Seeding::none: return;
    case Seeding::range:
      words.push_back("--seeds");
      words.push_back(first + ".." + std::to_string(end - 1));
      return;
    case Seeding::single:
      words.push_back("--seed");
      words.push_back(first);
      return;
    case Seeding::numbered:
      words.push_back(std::to_string(end));
      words.push_back(first);
      return;
  }
}

}  // namespace

const Option* Task::find(const std::string& name) const {
  auto found = std::find_if(options.begin(), options.end(),
                            [&](const Option& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

std::vector<std::string> words_of(const Task& task, const Seeds& seeds) {
  std::vector<std::string> words = words_without_seeds(task);
  add_seeds(words, task, seeds);
  words.insert(words.end(), task.machine_words.begin(), task.machine_words.end());
  return words;
}

std::vector<std::string> words_of(const Task& task, std::uint64_t seed) {
  std::vector<std::string> words = words_without_seeds(task);
  if (task.seeding == Seeding::range) {
    words.push_back("--seed");
    words.push_back(std::to_string(seed));
  } else {
    add_seeds(words, task, {seed, 1});
  }
  return words;
}

std::string command_of(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + word;
  return command;
}

std::vector<Task> smaller(const Task& task) {
  std::vector<Task> list;
  for (std::size_t i = 0; i < task.options.size(); ++i) {
    if (task.options[i].smaller != Smaller::drop) continue;
    list.push_back(task);
    list.back().options.erase(list.back().options.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (std::size_t i = 0; i < task.options.size(); ++i)
    for (const std::string& value : smaller_values(task.options[i])) {
      list.push_back(task);
      list.back().options[i].value = value;
    }
  return list;
}

}  // namespace conch::explore
