// The state directory and the atomic operations of the kernel on it. Every call does what it says,
// or returns the failure that its comment names, or throws RegisterError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "net/descriptor.hpp"

namespace conch::file {

using net::Descriptor;

enum class Linked : std::uint8_t { done, taken, gone };

/// Names are relative to the directory, and stay valid if it is moved.
class Directory {
 public:
  /// Creates the directory if it does not exist. Refuses one that other users own or can write.
  explicit Directory(std::string path);
  /// Refuses a file system that another machine may use, too.
  void expect_local() const;

  /// The full path, for messages.
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  /// A path for the system calls that take no directory descriptor.
  std::string kernel_path(const std::string& name) const;

  /// Whether the path still leads to this directory; false if it was removed, moved or replaced.
  bool is_in_place() const;
  bool exists(const std::string& name) const;
  /// How long ago the file was written; empty if it does not exist, or if that is in the future.
  std::optional<Duration> age(const std::string& name) const;
  /// Empty if the directory does not exist.
  std::optional<std::vector<std::string>> list(const std::string& name = ".") const;
  /// Empty if the file does not exist. Reads at most `bytes_max` + 1 bytes, so that the caller can
  /// tell if the file is too large.
  std::optional<std::string> read(const std::string& name, std::size_t bytes_max) const;
  /// Empty if the file does not exist.
  Descriptor open(const std::string& name, int flags) const;

  /// Creates a new file, whole or not at all.
  Descriptor create(const std::string& name, std::string_view bytes = {}) const;
  /// False if the name is taken.
  bool make_directory(const std::string& name) const;
  /// Gives a file a second name; of several callers only one gets that name. `gone`: the folder
  /// does not exist.
  Linked link(const std::string& from, const std::string& to) const;
  /// False if `from` does not exist, or `to` is a directory that is not empty.
  bool rename(const std::string& from, const std::string& to) const;
  /// Removes a file or an empty directory; false if it does not exist or is not empty.
  bool remove(const std::string& name) const;
  /// Removes it with everything in it.
  void remove_all(const std::string& name) const;
  /// Updates its modification time, which wakes processes that watch the directory.
  void touch(const std::string& name) const;
  /// Makes the entries of this directory survive a power failure.
  void make_durable(const std::string& name = ".") const;

  /// Throws a RegisterError that says what could not be done, with errno and advice.
  [[noreturn]] void fail(const std::string& deed, const std::string& name) const;

 private:
  std::string path_;
  Descriptor self_;
};

void make_durable(const Descriptor& file, const std::string& path);

/// Joins a folder and a name.
std::string inside(std::string folder, std::string_view name);
/// The rest of the name after this prefix; empty if it does not have it.
std::optional<std::string_view> after(std::string_view beginning, std::string_view name);
/// Parses a decimal number exactly as std::to_string writes it.
std::optional<std::uint64_t> number_in(std::string_view text);
/// 64 random bits, in hexadecimal.
std::string unique_tag();
std::string hexadecimal(std::uint64_t number);

}  // namespace conch::file
