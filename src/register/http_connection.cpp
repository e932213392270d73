#include "register/http_connection.hpp"

#include <poll.h>

#include <array>
#include <stdexcept>

#include "net/dial.hpp"

namespace conch::etcd {

namespace {

constexpr std::uint16_t usual_port = 2379;
/// The largest TLS record.
constexpr std::size_t receive_bytes = std::size_t{16} << 10;

bool has_port(std::string_view host_and_port) {
  std::size_t colon = host_and_port.rfind(':');
  std::size_t bracket = host_and_port.rfind(']');
  return colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon);
}

}  // namespace

std::string Endpoint::print() const { return (secure ? "https://" : "http://") + wire::print(way); }

Endpoint parse_endpoint(std::string_view text) {
  Endpoint endpoint;
  std::string_view rest = text;
  endpoint.secure = rest.starts_with("https://");
  bool known = endpoint.secure || rest.starts_with("http://");
  if (known) rest.remove_prefix(endpoint.secure ? 8 : 7);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  std::string place(rest);
  if (!has_port(place)) place += ":" + std::to_string(usual_port);
  auto way = wire::parse_host_and_port(place);
  if (!known || !way || way->port == 0)
    throw std::invalid_argument("'" + std::string(text) +
                                "' is not the address of an etcd member: write http://host:2379, "
                                "or https://host:2379 for TLS, several separated by commas");
  endpoint.way = *way;
  return endpoint;
}

HttpConnection::HttpConnection(const Endpoint& endpoint, const net::TlsContext* tls, int interrupt,
                               Time until)
    : endpoint_(endpoint), interrupt_(interrupt) {
  net::Dialed dialed = net::dial(wire::Way(endpoint.way), 0);
  if (!dialed.error.empty()) fail(dialed.error);
  socket_ = net::Socket(std::move(dialed.socket));
  if (!dialed.connected && !await(POLLOUT, until)) fail("it cannot be reached in time");
  if (std::string why = net::connection_error(socket_.number()); !why.empty()) fail(why);
  if (!endpoint.secure) return;
  socket_.begin_tls(tls->dial(socket_.number(), endpoint.way.host));
  while (true) {
    net::IoResult shaken = socket_.secure();
    if (shaken.flow == net::Flow::moved) return;
    if (shaken.flow == net::Flow::failed) fail(shaken.why);
    if (shaken.flow == net::Flow::ended)
      fail("it closes the connection when TLS begins: does it use TLS?");
    if (!await(POLLIN, until)) fail_as_too_slow();
  }
}

void HttpConnection::send(const Request& request, Time until) {
  // With this header, a member that has no leader returns an error instead of stale data.
  std::string text = "POST " + request.path + " HTTP/1.1\r\nHost: " + wire::print(endpoint_.way) +
                     "\r\nContent-Type: application/json\r\nGrpc-Metadata-Hasleader: true\r\n" +
                     "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  if (!request.token.empty()) text += "Authorization: " + request.token + "\r\n";
  text += "\r\n" + request.body;
  reader_ = {};
  for (std::string_view left = text; !left.empty();) {
    net::IoResult sent = socket_.send(left);
    switch (sent.flow) {
      case net::Flow::moved: left.remove_prefix(sent.bytes); break;
      case net::Flow::later:
        if (!await(POLLOUT, until)) fail_as_too_slow();
        break;
      case net::Flow::ended: fail_as_hung_up();
      case net::Flow::failed: fail(sent.why);
    }
  }
}

int HttpConnection::await_status(Time until) {
  while (!reader_.has_head())
    if (!receive(until)) fail_as_too_slow();
  return reader_.status();
}

std::string HttpConnection::await_body(Time until) {
  while (!reader_.is_complete())
    if (!receive(until)) fail_as_too_slow();
  return reader_.take_body();
}

bool HttpConnection::await_line(std::string& line, Time until) {
  while (!reader_.take_line(line)) {
    if (reader_.is_complete()) fail("it sends nothing more");
    if (!receive(until)) return false;
  }
  return true;
}

/// False if nothing came in time.
bool HttpConnection::receive(Time until) {
  std::array<char, receive_bytes> bytes;
  while (true) {
    net::IoResult got = socket_.receive(bytes.data(), bytes.size());
    switch (got.flow) {
      case net::Flow::moved:
        heard_ = true;
        try {
          reader_.feed({bytes.data(), got.bytes});
        } catch (const http::Nonsense& nonsense) {
          fail(std::string("not an answer of etcd: ") + nonsense.what());
        }
        return true;
      case net::Flow::later:
        if (!await(POLLIN, until)) return false;
        break;
      case net::Flow::ended: fail_as_hung_up();
      case net::Flow::failed: fail(got.why);
    }
  }
}

/// False if the deadline passed first.
bool HttpConnection::await(short events, Time until) {
  net::Awaited awaited = socket_.await(events, until, interrupt_);
  if (awaited == net::Awaited::interrupted) throw Interrupted();
  return awaited == net::Awaited::ready;
}

void HttpConnection::fail(const std::string& why) const {
  throw Unreachable("etcd at " + endpoint_.print() + ": " + why);
}
/// A server that expects TLS closes a plain connection without a word.
void HttpConnection::fail_as_hung_up() const {
  bool wants_tls = !heard_ && !endpoint_.secure;
  fail(wants_tls ? "it closes the connection: if it requires TLS, write https://"
                 : "it closed the connection");
}
void HttpConnection::fail_as_too_slow() const {
  throw Unreachable("etcd at " + endpoint_.print() + ": it does not answer in time", true);
}

}  // namespace conch::etcd
