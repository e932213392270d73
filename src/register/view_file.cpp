#include "register/view_file.hpp"

#include "core/encode.hpp"
#include "core/hash.hpp"
#include "register/directory.hpp"
#include "register/register.hpp"

namespace conch::file {

namespace {

template <class T>
std::string sealed(std::string_view kind, const T& value) {
  std::string bytes;
  encode(bytes, value);
  return "conch " + std::string(kind) + " " + std::to_string(format) + " " + checksum(bytes) +
         "\n" + bytes;
}

/// Reads one file.
class Opener {
 public:
  Opener(std::string_view kind, std::string_view bytes, const std::string& path,
         const std::string& remedy)
      : remedy_(remedy), kind_(kind), rest_(bytes), path_(path) {}

  template <class T>
  T open() {
    if (rest_.size() > view_bytes_max)
      fail("is larger than " + std::to_string(view_bytes_max) + " bytes", remedy_);
    if (rest_.empty()) fail("is empty", remedy_);
    if (word(' ') != "conch" || word(' ') != kind_)
      fail("is not a " + std::string(kind_) + " file of conch",
           "it does not belong there; " + remedy_);
    expect_format();
    std::string_view sum = word('\n');
    if (sum != checksum(rest_)) fail("is torn: its checksum is wrong", remedy_);
    T value{};
    Decoder decoder(rest_);
    if (!decoder.decode(value) || !decoder.finish())
      fail("is malformed: " + decoder.error(), remedy_);
    return value;
  }

 private:
  std::string_view word(char end) {
    std::size_t length = rest_.find(end);
    if (length == std::string_view::npos) return {};
    std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return word;
  }
  void expect_format() {
    auto found = number_in(word(' '));
    if (!found || *found == 0) fail("has no format number", remedy_);
    if (*found > format)
      fail("has format " + std::to_string(*found) + ", this conch knows " + std::to_string(format),
           "a newer conch wrote it; use that one");
  }
  [[noreturn]] void fail(const std::string& what, const std::string& what_to_do) const {
    throw RegisterError(path_ + " " + what + "; " + what_to_do);
  }

  const std::string& remedy_;
  std::string_view kind_;
  std::string_view rest_;
  const std::string& path_;
};

}  // namespace

std::string checksum(std::string_view bytes) {
  Hash64 hash;
  hash.mix(bytes.size());
  for (char byte : bytes) hash.mix(static_cast<unsigned char>(byte));
  return hexadecimal(hash.value());
}

std::string to_bytes(const ViewFile& file) { return sealed("view", file); }
std::string to_bytes(const ChainFile& file) { return sealed("chain", file); }

ViewFile view_file(std::string_view bytes, const std::string& path, const std::string& remedy) {
  return Opener("view", bytes, path, remedy).open<ViewFile>();
}
ChainFile chain_file(std::string_view bytes, const std::string& path, const std::string& remedy) {
  return Opener("chain", bytes, path, remedy).open<ChainFile>();
}

}  // namespace conch::file
