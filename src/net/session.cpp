#include "net/session.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <conch/error.hpp>

#include "net/dial.hpp"

namespace conch::net {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} << 10;

const char* const no_answer = "it does not answer";

}  // namespace

StopDescriptor::StopDescriptor(const std::stop_token& token)
    : bell_(token.stop_possible() ? ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) : -1),
      on_stop_(token, [this] { ::eventfd_write(bell_.number(), 1); }) {
  if (token.stop_possible() && !bell_)
    throw Error("this process has too many open files: no event descriptor is left");
}

Session::Session(const wire::Way& way, const wire::Hello& hello, const Tls& tls, Time until,
                 const std::stop_token& give_up)
    : whom_(wire::print(way)),
      interruption_(give_up),
      buffer_(std::make_unique<char[]>(buffer_bytes)) {
  connect(way, tls, until);
  greet(hello, until);
}

std::string Session::complaint(const std::string& why) const {
  // A peer that expects TLS hangs up on plain text.
  bool unheard = socket_is_tcp_ && !tls_ && accepted_.algorithm.empty();
  return "cannot talk to " + whom_ + ": " + why +
         (unheard ? "; does it require TLS (--tls-cert, --tls-key, --tls-ca)?" : "");
}

void Session::fail(const std::string& why) const { throw Error(complaint(why)); }

bool Session::await(short events, std::optional<Time> until) const {
  Awaited awaited = socket_.await(events, until.value_or(Time::max()), interruption_.descriptor());
  if (awaited == Awaited::interrupted) fail("gave up before it answered");
  return awaited == Awaited::ready;
}

void Session::connect(const wire::Way& way, const Tls& tls, Time until) {
  std::string error = no_answer;
  // Several attempts: a name may have several addresses, and a listener's backlog may be full for a
  // moment.
  for (unsigned attempt = 0; attempt < 4; ++attempt) {
    Dialed dialed = dial(way, attempt);
    error = dialed.error;
    if (dialed.is_untrusted) throw Untrusted("will not talk to " + whom_ + ": " + error);
    if (!dialed.socket) continue;
    socket_ = Socket(std::move(dialed.socket));
    if (!dialed.connected && !await(POLLOUT, until)) fail(no_answer);
    error = connection_error(socket_.number());
    if (error.empty()) break;
  }
  if (!error.empty()) fail(error);
  socket_is_tcp_ = std::holds_alternative<wire::TcpWay>(way);
  if (tls.enabled() && socket_is_tcp_) secure(tls, until);
}

void Session::secure(const Tls& tls, Time until) {
  tls_ = std::make_unique<TlsContext>(tls);
  socket_.begin_tls(tls_->dial(socket_.number()));
  for (;;) {
    IoResult done = socket_.secure();
    if (done.flow == Flow::moved) return;
    if (done.flow != Flow::later)
      fail(done.flow == Flow::ended ? "it closed the connection" : done.why);
    if (!await(POLLIN, until)) fail(no_answer);
  }
}

void Session::greet(const wire::Hello& hello, Time until) {
  std::string bytes;
  wire::put_hello(bytes, hello);
  say(bytes, until);
  std::optional<wire::Frame> frame = hear(until);
  if (!frame) fail(no_answer);
  auto answer = wire::read_answer(*frame);
  if (auto* refused = std::get_if<wire::HelloRefused>(&answer))
    throw RefusedError(complaint(refused->why));
  accepted_ = std::get<wire::HelloAccepted>(answer);
  reader_.allow(wire::frame_bytes_max);
  is_greeting_ = false;
}

void Session::say(std::string_view bytes, std::optional<Time> until) {
  while (!bytes.empty()) {
    IoResult sent = socket_.send(bytes);
    if (sent.flow == Flow::moved) {
      bytes.remove_prefix(sent.bytes);
    } else if (sent.flow != Flow::later) {
      fail(sent.flow == Flow::ended ? "it closed the connection" : sent.why);
    } else if (!await(POLLOUT, until)) {
      fail("it does not read");
    }
  }
}

std::optional<wire::Frame> Session::hear(std::optional<Time> until) {
  for (;;) {
    if (std::optional<wire::Frame> frame = reader_.next()) return frame;
    if (!reader_.ok()) fail(reader_.error());
    // During the handshake, read no byte behind the answer: it may be meant for a Stream.
    std::size_t wanted = is_greeting_ ? std::min(reader_.missing(), buffer_bytes) : buffer_bytes;
    IoResult got = socket_.is_secured() ? socket_.receive(buffer_.get(), wanted)
                                        : socket_.receive(buffer_.get(), wanted, enclosed_);
    if (got.flow == Flow::moved) {
      reader_.feed({buffer_.get(), got.bytes});
    } else if (got.flow != Flow::later) {
      fail(got.flow == Flow::ended ? "it closed the connection" : got.why);
    } else if (!await(POLLIN, until)) {
      return std::nullopt;
    }
  }
}

}  // namespace conch::net
