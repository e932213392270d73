#include "wire/outgoing.hpp"

#include <algorithm>

#include "core/expect.hpp"

namespace conch::wire {

namespace {
constexpr std::size_t idle_capacity_max = std::size_t{1} << 20;
}

bool Outgoing::append(std::string_view payload) {
  std::size_t size = payload_overhead_bytes + payload.size();
  if (payload.size() > payload_bytes_max || bytes() + size > bytes_max_) return false;
  put_header(bytes_, FrameKind::payload, payload.size() + 4);
  put_number(bytes_, static_cast<std::uint32_t>(appended_++));
  bytes_ += payload;
  return true;
}

void Outgoing::wrote(std::size_t bytes) {
  written_ += bytes;
  CONCH_EXPECT(written_ <= bytes_.size(), "only what is there can be written");
  reached_ = std::max(reached_, written_);
  while (boundary_ < written_)
    boundary_ += length_bytes + number_at(std::string_view(bytes_).substr(boundary_));
}

bool Outgoing::acknowledge(std::uint64_t received) {
  if (!was_reached(received)) return false;
  drop_until(received, written_);
  return true;
}

bool Outgoing::resume(std::uint64_t received) {
  if (!was_reached(received)) return false;
  drop_until(received, reached_);
  written_ = boundary_ = front_;
  return true;
}

/// Each frame begins with its length.
std::size_t Outgoing::frame_bytes(std::size_t place) const {
  return length_bytes + number_at(std::string_view(bytes_).substr(place));
}

/// Whether the receiver can have so many payloads: no fewer than it has acknowledged, and no more
/// than were written to any connection.
bool Outgoing::was_reached(std::uint64_t received) const {
  std::size_t end = front_;
  for (std::uint64_t count = acknowledged_; count < received; ++count) {
    if (end + length_bytes > reached_ || end + frame_bytes(end) > reached_) return false;
    end += frame_bytes(end);
  }
  return received >= acknowledged_;
}

void Outgoing::drop_until(std::uint64_t received, std::size_t end) {
  while (acknowledged_ < received && front_ + frame_bytes(front_) <= end) {
    front_ += frame_bytes(front_);
    ++acknowledged_;
  }
  compact();
}

/// Moves the rest only when it is smaller than what is gone. So a byte is moved once on average,
/// and most often there is no rest.
void Outgoing::compact() {
  if (front_ < bytes_.size() - front_) return;
  bytes_.erase(0, front_);
  written_ -= std::min(written_, front_);
  boundary_ -= std::min(boundary_, front_);
  reached_ -= front_;
  front_ = 0;
  if (bytes_.empty() && bytes_.capacity() > idle_capacity_max) bytes_.shrink_to_fit();
}

}  // namespace conch::wire
