#include "cli/window.hpp"

#include "cli/peer_line.hpp"
#include "cli/status_report.hpp"
#include "peer/engine.hpp"

namespace conch::cli {

Window::Window(const std::string& address, bool insecure) {
  watch::HttpOptions options;
  options.listen = address;
  options.insecure = insecure;
  options.pages["/metrics"] = {"text/plain; version=0.0.4; charset=utf-8",
                               [this] { return metrics(); }};
  options.pages["/status"] = {"application/json", [this] { return status(); }};
  server_.emplace(std::move(options));
}

void Window::look_at(Peer& peer) {
  peer::Guard guard = peer.engine().guard();
  peer.engine().watch(metrics_);
  peer_ = &peer;
}

Peer& Window::peer() const {
  if (Peer* peer = peer_) return *peer;
  throw Error("the peer is not in its group yet");
}

std::string Window::metrics() const {
  peer::Engine& engine = peer().engine();
  peer::Guard guard = engine.guard();
  return metrics_.text(engine.status_here(net::steady_now()));
}

/// Asks as a client does: so the others say how they are, too.
std::string Window::status() const {
  PeerLine line = PeerLine::to_one(std::string(peer().group()), NodeId{peer().id()});
  peer::ClientReply reply = line.ask(peer::AskStatus{});
  const auto* status = std::get_if<peer::Status>(&reply);
  if (!status) throw Error("the peer's answer is no status");
  return json_text(*status) + "\n";
}

}  // namespace conch::cli
