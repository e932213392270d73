#include "net/stream.hpp"

#include <conch/error.hpp>

#include "net/dial.hpp"
#include "net/session.hpp"
#include "net/stream_connection.hpp"

namespace conch::net {

namespace {

wire::Route route_of(const wire::Way& way) {
  return std::holds_alternative<wire::UnixWay>(way) ? wire::Route::local : wire::Route::remote;
}

std::unique_ptr<Stream::Connection> dial(const wire::Way& way, const wire::Hello& hello,
                                         const Tls& tls, Time until) {
  Session session(way, hello, tls, until);
  std::string whom = wire::describe(*hello.means) + " at " + wire::print(way);
  std::string why = wire::objection(session.accepted(), hello);
  if (!why.empty()) throw Error("cannot open a stream to " + whom + ": " + why);
  return std::make_unique<Stream::Connection>(session.take_socket(), route_of(way), whom);
}

std::unique_ptr<Stream::Connection> dial(const StreamOptions& options, const PeerInstance& to,
                                         const std::string& address, Time until) {
  wire::Ways ways = wire::usable(parse_ways(address), LocalHost(options.folder), options.tcp_only);
  if (ways.empty())
    throw Error("cannot open a stream to " + wire::describe(to) + ": none of its addresses (" +
                address + ") can be reached from here");
  wire::Hello hello{.speaks = options.speaks,
                    .group = options.group,
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

Stream::Stream(const StreamOptions& options, const PeerInstance& to, const std::string& address,
               Time until)
    : connection_(dial(options, to, address, until)) {}

Stream::Stream(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

bool Stream::is_local() const { return connection_->is_local(); }
void Stream::say(std::string_view note) { connection_->say(note); }
void Stream::say(std::string_view note, int descriptor) { connection_->say(note, descriptor); }
Stream::Message Stream::hear() { return connection_->hear(); }
void Stream::send(std::span<const std::byte> bytes, std::atomic<std::uint64_t>& moved) {
  connection_->send(bytes, moved);
}
void Stream::receive(std::span<std::byte> bytes, std::atomic<std::uint64_t>& moved) {
  connection_->receive(bytes, moved);
}
void Stream::abort() { connection_->abort(); }

}  // namespace conch::net
