#include "net/conversation.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <conch/error.hpp>

#include "net/patience.hpp"
#include "net/ways.hpp"

namespace conch::net {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} << 10;

const char* const no_answer = "it does not answer";

}  // namespace

Interruption::Interruption(const std::stop_token& token)
    : bell_(token.stop_possible() ? ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) : -1),
      on_stop_(token, [this] { ::eventfd_write(bell_.number(), 1); }) {}

Conversation::Conversation(const wire::Way& way, const wire::Hello& hello, const Tls& tls,
                           Time until, const std::stop_token& give_up)
    : whom_(wire::print(way)),
      interruption_(give_up),
      buffer_(std::make_unique<char[]>(buffer_bytes)) {
  connect(way, tls, until);
  greet(hello, until);
}

std::string Conversation::complaint(const std::string& why) const {
  // Who speaks TLS hangs up on who does not.
  bool unheard = socket_is_tcp_ && !tls_ && accepted_.algorithm.empty();
  return "cannot talk to " + whom_ + ": " + why +
         (unheard ? "; does it want TLS (--tls-cert, --tls-key, --tls-ca)?" : "");
}

void Conversation::fail(const std::string& why) const { throw Error(complaint(why)); }

bool Conversation::await(short events, std::optional<Time> until) const {
  std::array both{pollfd{socket_.number(), events, 0},
                  pollfd{interruption_.descriptor(), POLLIN, 0}};
  int ready = ::poll(both.data(), both.size(), until ? milliseconds_until(*until) : -1);
  if (both[1].revents != 0) fail("gave up before it answered");
  return ready > 0;
}

void Conversation::connect(const wire::Way& way, const Tls& tls, Time until) {
  std::string error = no_answer;
  // A name may have several numbers, and a socket's queue may be full for a moment.
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

void Conversation::secure(const Tls& tls, Time until) {
  tls_ = std::make_unique<TlsContext>(tls);
  socket_.begin_tls(tls_->dial(socket_.number()));
  for (;;) {
    Transfer done = socket_.secure();
    if (done.flow == Flow::moved) return;
    if (done.flow != Flow::later) fail(done.flow == Flow::ended ? "it has hung up" : done.why);
    if (!await(socket_.wants_to_write() ? POLLOUT : POLLIN, until)) fail(no_answer);
  }
}

void Conversation::greet(const wire::Hello& hello, Time until) {
  std::string bytes;
  wire::put_hello(bytes, hello);
  say(bytes, until);
  std::optional<wire::Frame> frame = hear(until);
  if (!frame) fail(no_answer);
  auto answer = wire::read_answer(*frame);
  if (auto* refused = std::get_if<wire::Refused>(&answer)) throw Refused(complaint(refused->why));
  accepted_ = std::get<wire::Accepted>(answer);
  reader_.allow(wire::frame_bytes_max);
  is_greeting_ = false;
}

void Conversation::say(std::string_view bytes, std::optional<Time> until) {
  while (!bytes.empty()) {
    Transfer sent = socket_.send(bytes);
    if (sent.flow == Flow::moved) {
      bytes.remove_prefix(sent.bytes);
    } else if (sent.flow != Flow::later) {
      fail(sent.flow == Flow::ended ? "it has hung up" : sent.why);
    } else if (!await(POLLOUT, until)) {
      fail("it does not read");
    }
  }
}

std::optional<wire::Frame> Conversation::hear(std::optional<Time> until) {
  for (;;) {
    if (std::optional<wire::Frame> frame = reader_.next()) return frame;
    if (!reader_.ok()) fail(reader_.error());
    // What comes behind the answer may be for somebody else.
    std::size_t wanted = is_greeting_ ? std::min(reader_.missing(), buffer_bytes) : buffer_bytes;
    Transfer got = socket_.is_secured() ? socket_.receive(buffer_.get(), wanted)
                                        : socket_.receive(buffer_.get(), wanted, enclosed_);
    if (got.flow == Flow::moved) {
      reader_.feed({buffer_.get(), got.bytes});
    } else if (got.flow != Flow::later) {
      fail(got.flow == Flow::ended ? "it has hung up" : got.why);
    } else if (!await(POLLIN, until) && until && steady_now() >= *until) {
      return std::nullopt;
    }
  }
}

}  // namespace conch::net
