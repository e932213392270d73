// How much is too much: what a stranger, a peer and a client may cost.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.hpp"

namespace conch::wire {

// Of a frame, what follows its length.
inline constexpr std::size_t handshake_bytes_max = std::size_t{4} << 10;
inline constexpr std::size_t frame_bytes_max = std::size_t{16} << 20;

// In a handshake; together they fit into it, whatever characters they are of.
inline constexpr std::size_t group_bytes_max = 128;
inline constexpr std::size_t algorithm_bytes_max = 64;
inline constexpr std::size_t address_bytes_max = 1024;
inline constexpr std::size_t software_bytes_max = 64;
inline constexpr std::size_t sentence_bytes_max = 256;

// A receiver acknowledges after so many payloads, or bytes of them, or when the first is so old.
inline constexpr std::uint32_t acknowledged_payloads_max = 64;
inline constexpr std::size_t acknowledged_bytes_max = std::size_t{256} << 10;
inline constexpr Duration acknowledgement_delay_max = std::chrono::milliseconds(20);

/// From the first packet to the answer.
inline constexpr Duration handshake_patience = std::chrono::seconds(2);
/// A process that runs sees within this time that something is due.
inline constexpr Duration noticing_max = std::chrono::milliseconds(200);
/// What has been accepted and not said who it is; one more, and the oldest is dropped.
inline constexpr std::size_t half_open_max = 256;
/// A peer that has gone without a word is noticed by the system after so long, if it owes us one.
inline constexpr Duration silence_max = std::chrono::seconds(10);
/// Lives with which there is a channel.
inline constexpr std::size_t lives_max = 4096;
inline constexpr std::size_t clients_max = 4096;
/// What a client has not read.
inline constexpr std::size_t client_bytes_max = 2 * frame_bytes_max;

/// Data of at most this size are enclosed with what is said of them. They travel ahead of their
/// lock, unless more than the second waits on that way to be acknowledged.
inline constexpr std::size_t enclosure_bytes_max = std::size_t{16} << 10;
inline constexpr std::size_t enclosing_backlog_max = std::size_t{1} << 20;

/// Of a note in a stream, what follows its length.
inline constexpr std::size_t stream_note_bytes_max = enclosure_bytes_max + (std::size_t{4} << 10);
/// A note is filled up to a multiple of it. Bytes that follow then begin at a cache line in the
/// system's buffers: behind 14 bytes, some processors take three times as long to copy them.
inline constexpr std::size_t stream_note_step = 64;
/// How long nothing may move while the rest of a note, or of bytes, is awaited.
inline constexpr Duration stream_silence_max = std::chrono::seconds(10);
/// Streams that a peer serves.
inline constexpr std::size_t streams_max = 1024;

}  // namespace conch::wire
