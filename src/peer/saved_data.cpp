#include "peer/saved_data.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <conch/error.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/encode.hpp"
#include "core/fields.hpp"
#include "core/hash.hpp"

namespace conch::peer {

namespace {

/// The heading before the bytes, in MessagePack. The first line of the file has its length.
struct Heading {
  std::string lock;
  std::uint64_t size = 0;
  std::uint64_t sum = 0;
  CONCH_FIELDS(Heading, lock, size, sum)
};

/// The first line: these words, the version of the format, and in version 1 the heading's length.
constexpr std::string_view first_words = "conch data ";
constexpr std::string_view first_line = "conch data 1 ";
constexpr std::size_t heading_bytes_max = 1024;

std::uint64_t sum_of(std::span<const std::byte> bytes) {
  Hash64 hash;
  std::size_t whole = bytes.size() / 8 * 8;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, at < whole ? 8 : bytes.size() - whole);
    hash.mix(word);
  }
  return hash.value();
}

std::string path_of(const std::string& folder, std::string_view lock) {
  Hash64 hash;
  for (char c : lock) hash.mix(static_cast<unsigned char>(c));
  return fmt::format("{}/{:016x}", folder, hash.value());
}

[[noreturn]] void fail(std::string_view what, const std::string& path) {
  throw Error(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

[[noreturn]] void refuse(const std::string& path) {
  throw Error(fmt::format("{} is damaged, or not saved data: it is left alone", path));
}

void write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void read_all(int file, std::span<std::byte> into, const std::string& path) {
  while (!into.empty()) {
    ssize_t got = ::read(file, into.data(), into.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path);
    if (got == 0) refuse(path);
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

/// Leaves the file position where the bytes begin.
Heading read_heading(int file, const std::string& path) {
  std::array<char, first_line.size() + 5> line{};  // It ends with four digits and a newline.
  read_all(file, std::as_writable_bytes(std::span(line)), path);
  std::string_view text(line.data(), line.size());
  std::string_view digits = text.substr(first_line.size(), 4);
  bool is_ours =
      text.starts_with(first_line) && text.back() == '\n' &&
      std::all_of(digits.begin(), digits.end(), [](char c) { return '0' <= c && c <= '9'; });
  if (!is_ours) refuse(path);
  std::size_t size = std::stoul(std::string(digits));
  if (size > heading_bytes_max) refuse(path);
  std::string bytes(size, '\0');
  read_all(file, std::as_writable_bytes(std::span(bytes)), path);
  Decoder decoder(bytes);
  Heading heading;
  if (!decoder.decode(heading) || !decoder.finish() || heading.size > Buffer::bytes_max)
    refuse(path);
  return heading;
}

net::Descriptor open_saved(const std::string& path) {
  net::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) fail("read", path);
  return file;
}

}  // namespace

void save_data(const std::string& folder, std::string_view lock, std::span<const std::byte> bytes) {
  ::mkdir(folder.c_str(), S_IRWXU);
  std::string path = path_of(folder, lock);
  std::string unfinished = path + "~";
  net::Descriptor file(
      ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file) fail("write", unfinished);
  std::string heading;
  encode(heading, Heading{std::string(lock), bytes.size(), sum_of(bytes)});
  write_all(file.number(), fmt::format("{}{:04}\n{}", first_line, heading.size(), heading),
            unfinished);
  const char* text = reinterpret_cast<const char*>(bytes.data());
  write_all(file.number(), {text, bytes.size()}, unfinished);
  if (::fsync(file.number()) != 0) fail("write", unfinished);
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) fail("rename", unfinished);
  // The new name outlasts a power cut only once the folder is on the device, too.
  net::Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.number()) != 0) fail("write", folder);
}

void expect_known_data(const std::string& folder) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    std::ifstream file(entry.path());
    std::string line;
    std::getline(file, line);
    if (!line.starts_with(first_words) || line.starts_with(first_line)) continue;
    std::string format = line.substr(first_words.size());
    throw Error(
        ErrorCode::misconfigured,
        fmt::format("{} has format {}, this conch knows 1; a newer conch wrote it; use that one",
                    entry.path().string(), format.substr(0, format.find(' '))));
  }
}

std::vector<std::string> saved_locks(const std::string& folder) {
  std::vector<std::string> locks;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    std::string path = entry.path();
    try {
      std::string lock = read_heading(open_saved(path).number(), path).lock;
      if (path_of(folder, lock) == path) locks.push_back(std::move(lock));
    } catch (const Error&) {  // The file is unfinished, or not ours.
    }
  }
  return locks;
}

void forget_data(const std::string& folder, std::string_view lock) {
  ::unlink(path_of(folder, lock).c_str());
}

std::uint64_t load_data(const std::string& folder, std::string_view lock, Buffer& into) {
  std::string path = path_of(folder, lock);
  net::Descriptor file = open_saved(path);
  Heading heading = read_heading(file.number(), path);
  into.reserve(heading.size);
  std::span<std::byte> bytes = into.writable(heading.size);
  read_all(file.number(), bytes, path);
  std::byte more{};
  bool ends_there = ::read(file.number(), &more, 1) == 0;
  if (!ends_there || heading.lock != lock || sum_of(bytes) != heading.sum) refuse(path);
  return heading.size;
}

}  // namespace conch::peer
