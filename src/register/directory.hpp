// The state directory, and what the kernel does in it in one step. Every call does what it says,
// or says that it was not possible for the reason it names, or throws RegisterError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conch::file {

/// An open file, closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int release() {
    int number = number_;
    number_ = -1;
    return number;
  }
  void reset(int number = -1);

  int number_ = -1;
};

enum class Linked : std::uint8_t { done, taken, gone };

/// Names are relative to the directory, and stay in it if somebody moves it.
class Directory {
 public:
  /// Makes it if it is not there. Refuses one that is not ours alone.
  explicit Directory(std::string path);
  /// Refuses one that another machine may use, too.
  void expect_local() const;

  /// For messages.
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  /// For the calls that take nothing but a path.
  std::string kernel_path(const std::string& name) const;

  /// Whether its path still leads to it: not after somebody has removed, moved or replaced it.
  bool is_in_place() const;
  bool exists(const std::string& name) const;
  /// None if the directory is not there.
  std::optional<std::vector<std::string>> list(const std::string& name = ".") const;
  /// None if it is not there. Reads no more than `bytes_max` and one.
  std::optional<std::string> read(const std::string& name, std::size_t bytes_max) const;
  /// None if it is not there.
  Descriptor open(const std::string& name, int flags) const;

  /// A new file, whole or not at all.
  Descriptor create(const std::string& name, std::string_view bytes = {}) const;
  /// False if the name is taken.
  bool make_directory(const std::string& name) const;
  /// Gives a file a second name, which nobody else can get as well. `gone`: its folder is not
  /// there.
  Linked link(const std::string& from, const std::string& to) const;
  /// False if there is no `from`, or `to` is a directory with something in it.
  bool rename(const std::string& from, const std::string& to) const;
  /// A file, or an empty directory; false if it is not there, or not empty.
  bool remove(const std::string& name) const;
  /// With everything in it.
  void remove_all(const std::string& name) const;
  /// Changes the time of last change: who watches the directory is woken.
  void touch(const std::string& name) const;
  /// What was made in this directory outlives a power failure.
  void make_durable(const std::string& name = ".") const;

  /// Says what could not be done, the errno of it, and what one can do.
  [[noreturn]] void fail(const std::string& deed, const std::string& name) const;

 private:
  std::string path_;
  Descriptor self_;
};

void make_durable(const Descriptor& file, const std::string& path);

/// The name of what is in a folder.
std::string inside(std::string folder, std::string_view name);
/// The rest of a name after its beginning.
std::optional<std::string_view> after(std::string_view beginning, std::string_view name);
/// A decimal number as std::to_string writes it, and nothing else.
std::optional<std::uint64_t> number_in(std::string_view text);
/// 64 bits that nobody had before, in hexadecimal.
std::string unique_tag();
std::string hexadecimal(std::uint64_t number);

}  // namespace conch::file
