#include "net/stream_connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <conch/error.hpp>

#include "wire/frame.hpp"

namespace conch::net {

namespace {

/// The most to read or write in one call; `moved` is updated after each.
constexpr std::size_t chunk_bytes_max = std::size_t{1} << 20;

/// The size of a note with its length and padding.
std::size_t framed_bytes(std::size_t note_bytes) {
  constexpr std::size_t step = wire::stream_note_step;
  return (wire::length_bytes + note_bytes + step - 1) / step * step;
}

std::string in_seconds(Duration duration) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(duration).count()) + " s";
}

}  // namespace

Stream::Connection::Connection(Socket socket, wire::Route route, std::string whom,
                               Duration patience)
    : socket_(std::move(socket)), route_(route), whom_(std::move(whom)), patience_(patience) {
  // Blocking calls: a poll before each call costs 5 % more time, and more than that on a busy
  // machine.
  socket_.block_for(patience);
}

Stream::Connection::~Connection() {
  std::lock_guard lock(end_);
  socket_.close();
}

void Stream::Connection::abort() {
  std::lock_guard lock(end_);
  aborted_ = true;
  ::shutdown(socket_.number(), SHUT_RDWR);
}

void Stream::Connection::fail(const std::string& why) {
  has_failed_ = true;
  throw Error("the stream to " + whom_ + " has failed: " + (aborted_ ? "it was aborted" : why));
}

void Stream::Connection::begin() {
  if (has_failed_) throw Error("the stream to " + whom_ + " has already failed");
  moved_at_ = steady_now();
}

// Notes.

std::string Stream::Connection::framed(std::string_view note) {
  begin();
  if (note.size() > wire::stream_note_bytes_max)
    throw Error("a note in a stream has at most " + std::to_string(wire::stream_note_bytes_max) +
                " bytes, not " + std::to_string(note.size()));
  std::string bytes;
  bytes.reserve(framed_bytes(note.size()));
  wire::put_number(bytes, static_cast<std::uint32_t>(note.size()));
  bytes += note;
  bytes.resize(framed_bytes(note.size()));
  return bytes;
}

void Stream::Connection::say(std::string_view note) { send(framed(note)); }

void Stream::Connection::say(std::string_view note, int descriptor) {
  if (!is_local())
    throw Error("no descriptor can be passed to " + whom_ + ": the stream is not local");
  std::string bytes = framed(note);
  std::size_t sent = 0;
  while ((sent = bytes_of(socket_.send(bytes, std::span(&descriptor, 1)))) == 0) await(POLLOUT);
  send(std::string_view(bytes).substr(sent));
}

Stream::Message Stream::Connection::hear() {
  begin();
  Message note;
  note.text = hear_beginning(note.descriptor);
  std::size_t bytes = wire::number_at(note.text);
  note.text.resize(framed_bytes(bytes));
  std::atomic<std::uint64_t> ignored;
  receive(std::as_writable_bytes(std::span(note.text).subspan(wire::stream_note_step)), ignored);
  note.text = note.text.substr(wire::length_bytes, bytes);
  return note;
}

/// Reads as much as the shortest note has, and no byte more, as raw bytes may follow. It reads
/// before it polls, as the TLS session may already hold decrypted bytes that poll does not see.
std::string Stream::Connection::hear_beginning(Descriptor& passed) {
  std::string beginning(wire::stream_note_step, '\0');
  std::size_t heard = 0;
  while (heard < beginning.size()) {
    char* into = beginning.data() + heard;
    std::size_t left = beginning.size() - heard;
    bool may_pass = is_local() && heard == 0;
    std::size_t got =
        bytes_of(may_pass ? socket_.receive(into, left, passed) : socket_.receive(into, left));
    if (got == 0) await(POLLIN, heard == 0 ? Patience::endless : Patience::some);
    heard += got;
    if (heard >= wire::length_bytes) check_length(wire::number_at(beginning));
  }
  return beginning;
}

void Stream::Connection::check_length(std::size_t bytes) {
  if (bytes > wire::stream_note_bytes_max)
    fail("it announces a note of " + std::to_string(bytes) + " bytes, more than the " +
         std::to_string(wire::stream_note_bytes_max) + " one may have");
}

// Bytes.

void Stream::Connection::send(std::span<const std::byte> bytes, std::atomic<std::uint64_t>& done) {
  begin();
  std::string_view left(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  done.store(0, std::memory_order_relaxed);
  while (!left.empty()) {
    std::size_t sent = bytes_of(socket_.send(left.substr(0, chunk_bytes_max)));
    if (sent == 0) await(POLLOUT);
    left.remove_prefix(sent);
    done.store(bytes.size() - left.size(), std::memory_order_relaxed);
  }
}

void Stream::Connection::receive(std::span<std::byte> bytes, std::atomic<std::uint64_t>& done) {
  begin();
  std::span<std::byte> left = bytes;
  done.store(0, std::memory_order_relaxed);
  while (!left.empty()) {
    std::size_t size = std::min(left.size(), chunk_bytes_max);
    std::size_t got = bytes_of(socket_.receive(reinterpret_cast<char*>(left.data()), size));
    if (got == 0) await(POLLIN);
    left = left.subspan(got);
    done.store(bytes.size() - left.size(), std::memory_order_relaxed);
  }
}

void Stream::Connection::send(std::string_view bytes) {
  std::atomic<std::uint64_t> ignored;
  send(std::as_bytes(std::span(bytes)), ignored);
}

// The socket.

std::size_t Stream::Connection::bytes_of(const IoResult& transfer) {
  if (aborted_) fail("it was aborted");
  switch (transfer.flow) {
    case Flow::moved: moved_at_ = steady_now(); return transfer.bytes;
    case Flow::later: return 0;
    case Flow::ended: fail("the other side closed the connection");
    case Flow::failed: fail(transfer.why);
  }
  return 0;
}

/// Waits until it is worth trying again.
void Stream::Connection::await(short events, Patience patience) {
  Time until = patience == Patience::endless ? Time::max() : moved_at_ + patience_;
  if (socket_.await(events, until) == Awaited::late)
    fail("nothing has moved for " + in_seconds(patience_));
}

}  // namespace conch::net
