#include "net/client_link.hpp"

#include <conch/error.hpp>

#include "net/dial.hpp"
#include "net/session.hpp"

namespace conch::net {

PeerInfo ask_who(const std::string& address, const std::string& group, const Tls& tls,
                 Duration patience, const std::string& folder, const std::stop_token& give_up) {
  wire::Ways ways = wire::usable(parse_ways(address), LocalHost(folder), false);
  if (ways.empty())
    throw Error(ErrorCode::bad_argument,
                "\"" + address + "\" is not the address of a peer; use host:port or [host]:port");
  Time until = steady_now() + patience;
  wire::Hello hello{.group = group, .role = wire::Role::stranger};
  for (std::size_t i = 0;; ++i) {
    try {
      wire::HelloAccepted accepted = Session(ways[i], hello, tls, until, give_up).accepted();
      return {accepted.self, accepted.algorithm, accepted.address, accepted.software};
    } catch (const Error&) {
      if (i + 1 == ways.size() || give_up.stop_requested()) throw;
    }
  }
}

class ClientLink::Connection : public Session {
 public:
  using Session::Session;
};

ClientLink::ClientLink(const std::string& socket, const std::string& group, Time until)
    : connection_(std::make_unique<Connection>(
          wire::UnixWay{LocalHost().boot(), socket},
          wire::Hello{.group = group, .role = wire::Role::client}, Tls{}, until)) {}

ClientLink::ClientLink(const std::string& socket, const std::string& group)
    : ClientLink(socket, group, steady_now() + wire::handshake_patience) {}

ClientLink::~ClientLink() = default;

void ClientLink::send(std::string_view payload) {
  if (payload.size() > wire::frame_bytes_max - 1)
    throw Error("a client sends at most " + std::to_string(wire::frame_bytes_max) +
                " bytes at once, not " + std::to_string(payload.size()));
  std::string bytes;
  wire::put_frame(bytes, wire::FrameKind::note, payload);
  connection_->say(bytes, std::nullopt);
}

std::optional<std::string> ClientLink::receive(std::optional<Time> until) {
  std::optional<wire::Frame> frame = connection_->hear(until);
  if (!frame) return std::nullopt;
  if (frame->kind != wire::FrameKind::note)
    throw Error("unexpected message from the peer; does it run another version?");
  return std::string(frame->body);
}

std::vector<Descriptor> ClientLink::take_enclosed() { return connection_->take_enclosed(); }

int ClientLink::descriptor() const { return connection_->descriptor(); }
std::uint32_t ClientLink::version() const { return connection_->accepted().version; }

}  // namespace conch::net
