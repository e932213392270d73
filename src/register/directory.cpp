#include "register/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>

#include "register/file_system.hpp"
#include "register/register.hpp"

namespace conch::file {

namespace {

std::string advice(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
      return "; this user must be able to write there: change its permissions, or choose another";
    case ENOSPC:
    case EDQUOT: return "; make room on its file system";
    case EMFILE:
    case ENFILE: return "; allow more open files (ulimit -n)";
    case ENOENT: return "; if the state directory was removed, restart its peers";
    default: return "";
  }
}

void expect_ours(int directory, const std::string& path) {
  struct stat found {};
  if (::fstat(directory, &found) != 0)
    throw RegisterError("the state directory " + path +
                        " cannot be examined: " + std::strerror(errno));
  if (found.st_uid != ::geteuid())
    throw RegisterError("the state directory " + path + " belongs to user " +
                        std::to_string(found.st_uid) + ", this is user " +
                        std::to_string(::geteuid()) +
                        "; all peers that share one must run as its owner: choose another");
  if (found.st_mode & (S_IWGRP | S_IWOTH))
    throw RegisterError("the state directory " + path +
                        " can be written by other users, who could forge views; chmod 700 it");
}

bool is_one_of(int error, std::initializer_list<int> expected) {
  for (int one : expected)
    if (error == one) return true;
  return false;
}

}  // namespace

Directory::Directory(std::string path)
    : path_(std::filesystem::absolute(std::filesystem::path(std::move(path))).string()) {
  if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)
    throw RegisterError("the state directory " + path_ +
                        " cannot be created: " + std::strerror(errno) + advice(errno));
  self_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!self_)
    throw RegisterError("the state directory " + path_ +
                        " cannot be opened: " + std::strerror(errno) + advice(errno));
  expect_ours(self_.number(), path_);
}

void Directory::expect_local() const {
  std::string why = objection_to_file_system_at(kernel_path("."), path_);
  if (!why.empty()) throw RegisterError(why);
}

void Directory::fail(const std::string& deed, const std::string& name) const {
  int error = errno;
  throw RegisterError(
      "cannot " + deed + " " + path(name) + ": " + std::strerror(error) + advice(error), error);
}

std::string Directory::kernel_path(const std::string& name) const {
  return "/proc/self/fd/" + std::to_string(self_.number()) + "/" + name;
}

bool Directory::is_in_place() const {
  struct stat opened {};
  struct stat named {};
  if (::fstat(self_.number(), &opened) != 0) fail("examine", ".");
  if (::stat(path_.c_str(), &named) != 0) return false;
  return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool Directory::exists(const std::string& name) const {
  if (::faccessat(self_.number(), name.c_str(), F_OK, 0) == 0) return true;
  if (errno != ENOENT) fail("look for", name);
  return false;
}

std::optional<Duration> Directory::age(const std::string& name) const {
  struct stat found {};
  if (::fstatat(self_.number(), name.c_str(), &found, 0) != 0) {
    if (errno != ENOENT) fail("look at", name);
    return std::nullopt;
  }
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  Duration age = std::chrono::seconds(now.tv_sec - found.st_mtim.tv_sec) +
                 std::chrono::nanoseconds(now.tv_nsec - found.st_mtim.tv_nsec);
  return age < Duration::zero() ? std::nullopt : std::optional(age);
}

std::optional<std::vector<std::string>> Directory::list(const std::string& name) const {
  int opened = ::openat(self_.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0 && errno == ENOENT) return std::nullopt;
  if (opened < 0) fail("list", name);
  auto close = [](DIR* directory) { ::closedir(directory); };
  std::unique_ptr<DIR, decltype(close)> directory(::fdopendir(opened), close);
  if (!directory) fail("list", name);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory.get())) {
    std::string_view found(entry->d_name);
    if (found != "." && found != "..") names.emplace_back(found);
  }
  return names;
}

std::optional<std::string> Directory::read(const std::string& name, std::size_t bytes_max) const {
  Descriptor file = open(name, O_RDONLY | O_NONBLOCK);
  if (!file) return std::nullopt;
  std::string bytes(bytes_max + 1, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    ssize_t more = ::read(file.number(), bytes.data() + size, bytes.size() - size);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) fail("read", name);
    if (more == 0) break;
    size += static_cast<std::size_t>(more);
  }
  bytes.resize(size);
  return bytes;
}

Descriptor Directory::open(const std::string& name, int flags) const {
  Descriptor file(::openat(self_.number(), name.c_str(), flags | O_CLOEXEC, 0600));
  if (!file && errno != ENOENT) fail("open", name);
  return file;
}

Descriptor Directory::create(const std::string& name, std::string_view bytes) const {
  Descriptor file(
      ::openat(self_.number(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) fail("create", name);
  while (!bytes.empty()) {
    ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      int error = errno;
      ::unlinkat(self_.number(), name.c_str(), 0);  // Half a file is useless, and takes up space.
      errno = error;
      fail("write", name);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

bool Directory::make_directory(const std::string& name) const {
  if (::mkdirat(self_.number(), name.c_str(), 0700) == 0) return true;
  if (errno != EEXIST) fail("make", name);
  return false;
}

Linked Directory::link(const std::string& from, const std::string& to) const {
  if (::linkat(self_.number(), from.c_str(), self_.number(), to.c_str(), 0) == 0)
    return Linked::done;
  if (errno == EEXIST) return Linked::taken;
  if (errno == ENOENT) return Linked::gone;
  fail("link", to);
}

bool Directory::rename(const std::string& from, const std::string& to) const {
  if (::renameat(self_.number(), from.c_str(), self_.number(), to.c_str()) == 0) return true;
  if (!is_one_of(errno, {ENOENT, EEXIST, ENOTEMPTY})) fail("rename to", to);
  return false;
}

bool Directory::remove(const std::string& name) const {
  if (::unlinkat(self_.number(), name.c_str(), 0) == 0) return true;
  // POSIX says EPERM for a directory, Linux EISDIR.
  if (is_one_of(errno, {EISDIR, EPERM}) &&
      ::unlinkat(self_.number(), name.c_str(), AT_REMOVEDIR) == 0)
    return true;
  if (!is_one_of(errno, {ENOENT, EEXIST, ENOTEMPTY})) fail("remove", name);
  return false;
}

void Directory::remove_all(const std::string& name) const {
  if (remove(name)) return;
  auto names = list(name);
  if (!names) return;
  for (const std::string& one : *names) remove_all(inside(name, one));
  remove(name);
}

void Directory::touch(const std::string& name) const {
  if (::utimensat(self_.number(), name.c_str(), nullptr, 0) != 0 && errno != ENOENT)
    fail("touch", name);
}

void Directory::make_durable(const std::string& name) const {
  // A directory that no longer exists was removed on purpose.
  if (Descriptor opened = open(name, O_RDONLY | O_DIRECTORY))
    file::make_durable(opened, path(name));
}

void make_durable(const Descriptor& file, const std::string& path) {
  if (::fsync(file.number()) != 0)
    throw RegisterError(
        "cannot write " + path + " to its device: " + std::strerror(errno) + "; check the device",
        errno);
}

std::string inside(std::string folder, std::string_view name) {
  folder += '/';
  folder += name;
  return folder;
}

std::optional<std::string_view> after(std::string_view beginning, std::string_view name) {
  if (!name.starts_with(beginning)) return std::nullopt;
  return name.substr(beginning.size());
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  return number;
}

std::string unique_tag() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
    throw RegisterError(std::string("no random numbers from the kernel: ") + std::strerror(errno));
  return hexadecimal(number);
}

std::string hexadecimal(std::uint64_t number) {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(number >> shift) & 15];
  return digits;
}

}  // namespace conch::file
