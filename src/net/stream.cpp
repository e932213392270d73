#include "net/stream.hpp"

#include <conch/error.hpp>

#include "net/conversation.hpp"
#include "net/stream_line.hpp"
#include "net/ways.hpp"

namespace conch::net {

namespace {

wire::Route route_of(const wire::Way& way) {
  return std::holds_alternative<wire::UnixWay>(way) ? wire::Route::local : wire::Route::remote;
}

std::unique_ptr<Stream::Line> dial(const wire::Way& way, const wire::Hello& hello, const Tls& tls,
                                   Time until) {
  Conversation conversation(way, hello, tls, until);
  std::string whom = wire::describe(*hello.means) + " at " + wire::print(way);
  std::string why = wire::objection(conversation.accepted(), hello);
  if (!why.empty()) throw Error("no stream can be opened to " + whom + ": " + why);
  return std::make_unique<Stream::Line>(conversation.take_socket(), route_of(way), whom);
}

std::unique_ptr<Stream::Line> dial(const StreamOptions& options, const Life& to,
                                   const std::string& address, Time until) {
  wire::Ways ways = wire::usable(parse_ways(address), Here(options.folder), options.tcp_only);
  if (ways.empty())
    throw Error("no stream can be opened to " + wire::describe(to) + ": none of its addresses (" +
                address + ") leads there from here");
  wire::Hello hello{.group = options.group,
                    .algorithm = options.algorithm,
                    .role = wire::Role::stream,
                    .self = options.self,
                    .means = to};
  for (std::size_t i = 0;; ++i) {
    try {
      return dial(ways[i], hello, options.tls, until);
    } catch (const Error&) {
      if (i + 1 == ways.size()) throw;
    }
  }
}

}  // namespace

Stream::Stream(const StreamOptions& options, const Life& to, const std::string& address, Time until)
    : line_(dial(options, to, address, until)) {}

Stream::Stream(std::unique_ptr<Line> line) : line_(std::move(line)) {}

Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

bool Stream::is_local() const { return line_->is_local(); }
void Stream::say(std::string_view note) { line_->say(note); }
void Stream::say(std::string_view note, int descriptor) { line_->say(note, descriptor); }
Stream::Note Stream::hear() { return line_->hear(); }
void Stream::send(std::span<const std::byte> bytes, std::atomic<std::uint64_t>& moved) {
  line_->send(bytes, moved);
}
void Stream::receive(std::span<std::byte> bytes, std::atomic<std::uint64_t>& moved) {
  line_->receive(bytes, moved);
}
void Stream::abort() { line_->abort(); }

}  // namespace conch::net
