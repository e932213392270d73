// Limits: how much a stranger, a peer or a client may cost.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.hpp"

namespace conch::wire {

// The bytes of a frame that follow its length.
inline constexpr std::size_t handshake_bytes_max = std::size_t{4} << 10;
inline constexpr std::size_t frame_bytes_max = std::size_t{16} << 20;

// Fields of a handshake. Together they fit into its frame, whatever characters they have.
inline constexpr std::size_t group_bytes_max = 128;
inline constexpr std::size_t algorithm_bytes_max = 64;
inline constexpr std::size_t address_bytes_max = 1024;
inline constexpr std::size_t software_bytes_max = 64;
inline constexpr std::size_t sentence_bytes_max = 256;

// A receiver acknowledges after so many payloads, after so many bytes of them, or when the first is
// so old.
inline constexpr std::uint32_t acknowledged_payloads_max = 64;
inline constexpr std::size_t acknowledged_bytes_max = std::size_t{256} << 10;
inline constexpr Duration acknowledgement_delay_max = std::chrono::milliseconds(20);

/// The time limit of a handshake, from the first packet to the answer.
inline constexpr Duration handshake_patience = std::chrono::seconds(2);
/// A process that is running notices within this time that something is due.
inline constexpr Duration noticing_max = std::chrono::milliseconds(200);
/// The most accepted connections without a hello. One more, and the oldest is dropped.
inline constexpr std::size_t half_open_max = 256;
/// The system closes a TCP connection when bytes have been unacknowledged for so long.
inline constexpr Duration silence_max = std::chrono::seconds(10);
/// The most lives that have a channel.
inline constexpr std::size_t lives_max = 4096;
inline constexpr std::size_t clients_max = 4096;
/// The most bytes that a client may leave unread.
inline constexpr std::size_t client_bytes_max = 2 * frame_bytes_max;

/// Data of at most this size are sent within messages. They travel ahead of their lock, unless more
/// than `enclosing_backlog_max` bytes are unacknowledged on its channel.
inline constexpr std::size_t enclosure_bytes_max = std::size_t{16} << 10;
inline constexpr std::size_t enclosing_backlog_max = std::size_t{1} << 20;

/// The bytes of a note in a stream that follow its length.
inline constexpr std::size_t stream_note_bytes_max = enclosure_bytes_max + (std::size_t{4} << 10);
/// A note is padded to a multiple of this. So the bytes after it begin at a cache line in the
/// system's buffers; behind 14 bytes, some processors take three times as long to copy them.
inline constexpr std::size_t stream_note_step = 64;
/// The longest silence of a stream in the middle of a note or of bytes.
inline constexpr Duration stream_silence_max = std::chrono::seconds(10);
/// The most streams that a peer serves at a time.
inline constexpr std::size_t streams_max = 1024;

}  // namespace conch::wire
