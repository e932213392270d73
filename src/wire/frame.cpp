#include "wire/frame.hpp"

#include <algorithm>

#include "core/expect.hpp"

namespace conch::wire {

namespace {

/// A buffer that has grown larger than this is released.
constexpr std::size_t kept_capacity_max = std::size_t{64} << 10;

Frame frame_in(std::string_view bytes) {
  return {static_cast<FrameKind>(bytes[length_bytes]), bytes.substr(frame_overhead_bytes)};
}

}  // namespace

std::string_view word(FrameKind kind) {
  switch (kind) {
    case FrameKind::hello: return "a hello";
    case FrameKind::accepted: return "an acceptance";
    case FrameKind::refused: return "a refusal";
    case FrameKind::payload: return "a payload";
    case FrameKind::acknowledgement: return "an acknowledgement";
    case FrameKind::note: return "a note";
  }
  return "something unknown";
}

void put_number(std::string& out, std::uint32_t number) {
  const char bytes[] = {static_cast<char>(number >> 24), static_cast<char>(number >> 16),
                        static_cast<char>(number >> 8), static_cast<char>(number)};
  out.append(bytes, sizeof bytes);
}

std::uint32_t number_at(std::string_view bytes) {
  CONCH_EXPECT(bytes.size() >= 4, "a number has 32 bits");
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = (number << 8) | static_cast<unsigned char>(bytes[i]);
  return number;
}

void put_header(std::string& out, FrameKind kind, std::size_t body_bytes) {
  CONCH_EXPECT(body_bytes < frame_bytes_max, "the maker of a frame keeps it short enough");
  put_number(out, static_cast<std::uint32_t>(body_bytes + 1));
  out += static_cast<char>(kind);
}

void put_frame(std::string& out, FrameKind kind, std::string_view body) {
  put_header(out, kind, body.size());
  out += body;
}

std::optional<Frame> FrameReader::next() {
  if (!ok()) return std::nullopt;
  if (given_) {
    given_ = false;
    partial_.clear();
    if (partial_.capacity() > kept_capacity_max) partial_.shrink_to_fit();
  }
  if (partial_.empty()) return next_of_fresh();
  if (!complete()) return std::nullopt;
  given_ = true;
  return frame_in(partial_);
}

std::optional<Frame> FrameReader::next_of_fresh() {
  if (has_length(fresh_)) {
    std::size_t size = length_bytes + number_at(fresh_);
    if (fresh_.size() >= size) {
      Frame frame = frame_in(fresh_.substr(0, size));
      fresh_.remove_prefix(size);
      return frame;
    }
  }
  if (ok()) top_up(fresh_.size());
  return std::nullopt;
}

std::size_t FrameReader::missing() const {
  if (partial_.size() < length_bytes) return length_bytes - partial_.size();
  return length_bytes + number_at(partial_) - partial_.size();
}

/// Whether the length is there and within bounds.
bool FrameReader::has_length(std::string_view bytes) {
  if (bytes.size() < length_bytes) return false;
  std::size_t length = number_at(bytes);
  if (length == 0) error_ = "an empty frame";
  if (length > bytes_max_)
    error_ = "a frame of " + std::to_string(length) + " bytes, more than the " +
             std::to_string(bytes_max_) + " it may have here";
  return ok();
}

/// Whether the fresh bytes complete the frame that began earlier.
bool FrameReader::complete() {
  top_up(length_bytes);
  if (!has_length(partial_)) return false;
  std::size_t size = length_bytes + number_at(partial_);
  top_up(size);
  return partial_.size() == size;
}

void FrameReader::top_up(std::size_t bytes) {
  std::size_t missing = bytes - std::min(bytes, partial_.size());
  std::size_t taken = std::min(missing, fresh_.size());
  partial_ += fresh_.substr(0, taken);
  fresh_.remove_prefix(taken);
}

}  // namespace conch::wire
