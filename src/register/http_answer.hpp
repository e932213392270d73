// A parser for HTTP/1.1 responses that takes the bytes as they arrive (RFC 9112). It understands
// only what etcd sends: a status, a length or chunks, and whether the connection stays open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace conch::http {

/// The input is no HTTP response, or exceeds a limit.
class Nonsense : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t answer_head_bytes_max = std::size_t{16} << 10;
/// Limits a body, and the part of a body that was not taken yet.
inline constexpr std::size_t answer_body_bytes_max = std::size_t{16} << 20;

class AnswerReader {
 public:
  /// Throws Nonsense; after that the reader must not be used.
  void feed(std::string_view bytes);

  bool has_head() const { return part_ > Part::fields; }
  /// Valid once the head has arrived.
  int status() const { return status_; }
  bool is_complete() const { return part_ == Part::done; }
  /// The server will send nothing more on this connection.
  bool closes() const { return closes_; }

  /// The part of the body that has arrived and was not taken before.
  const std::string& body() const { return body_; }
  std::string take_body() { return std::move(body_); }
  /// Takes the next complete line of the body, without its end. False if it has not arrived yet.
  bool take_line(std::string& line);

 private:
  enum class Part : std::uint8_t {
    status,
    fields,
    counted,
    chunk_size,
    chunk,
    chunk_end,
    trailer,
    done
  };
  bool step();
  bool take_head_line(std::string& line);
  void read_status(std::string_view line);
  void read_field(std::string_view line);
  void end_head();
  bool move_body();

  Part part_ = Part::status;
  std::string rest_;
  std::size_t head_bytes_ = 0;
  int status_ = 0;
  bool has_length_ = false;
  bool chunked_ = false;
  bool closes_ = false;
  /// Bytes left in the body, or in the current chunk.
  std::size_t left_ = 0;
  std::string body_;
};

}  // namespace conch::http
