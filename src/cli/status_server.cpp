#include "cli/status_server.hpp"

#include <charconv>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>

#include "cli/peer_line.hpp"
#include "cli/status_report.hpp"
#include "node/names.hpp"
#include "pages/pages.hpp"
#include "peer/engine.hpp"

namespace conch::cli {

using http::HttpRefusal;
using http::HttpRequest;

namespace {

constexpr const char* html_type = "text/html; charset=utf-8";
constexpr const char* json_type = "application/json";

/// The body must have this one member: `{"lock": "deploy"}`.
std::string said(const HttpRequest& request, const std::string& name) {
  auto body = nlohmann::json::parse(request.body, nullptr, false);
  bool good = body.is_object() && body.size() == 1 && body.contains(name) && body[name].is_string();
  if (!good) throw HttpRefusal{"400 Bad Request", "the body is not {\"" + name + "\": \"...\"}"};
  return body[name].get<std::string>();
}

NodeId id_named(const std::string& text) {
  NodeId id;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id.value, 16);
  if (error != std::errc{} || end != text.data() + text.size())
    throw HttpRefusal{"400 Bad Request", "a member's id is a hexadecimal number"};
  return id;
}

/// An objection of the peer is a conflict, not an error of the server.
std::string done(PeerLine line, const node::ClientMessage& message) {
  try {
    line.ask(message);
  } catch (const Error& error) {
    throw HttpRefusal{"409 Conflict", error.what()};
  }
  return "{\"done\":true}\n";
}

}  // namespace

StatusServer::StatusServer(const Options& window) {
  http::HttpOptions options;
  options.listen = window.address;
  options.insecure = window.insecure;
  if (!window.token_file.empty()) options.token = http::read_token(window.token_file);
  has_actions_ = !options.token.empty();
  options.stream = &broadcast_;
  options.pages["/"] = {html_type, [](const HttpRequest&) { return std::string(pages::live()); }};
  options.pages["/metrics"] = {"text/plain; version=0.0.4; charset=utf-8",
                               [this](const HttpRequest&) { return metrics(); }};
  options.pages["/status"] = {json_type, [this](const HttpRequest&) { return status(); }, true};
  options.pages["/locks"] = {json_type, [this](const HttpRequest& asked) { return locks(asked); },
                             true};
  options.actions["/unlock"] = {json_type,
                                [this](const HttpRequest& asked) { return unlock(asked); }, true};
  options.actions["/evict"] = {json_type, [this](const HttpRequest& asked) { return evict(asked); },
                               true};
  server_.emplace(std::move(options));
}

void StatusServer::look_at(Peer& peer) {
  peer.engine().watch(metrics_);
  live_feed_.emplace(peer, metrics_, broadcast_, has_actions_);
  peer_ = &peer;
}

void StatusServer::close() {
  server_.reset();
  live_feed_.reset();
}

Peer& StatusServer::peer() const {
  if (Peer* peer = peer_) return *peer;
  throw Error("the peer is not in its group yet");
}

std::string StatusServer::metrics() const {
  peer::Engine& engine = peer().engine();
  node::Status here = engine.status_here();
  peer::Guard guard = engine.guard();
  return metrics_.text(here);
}

std::string StatusServer::status() const {
  std::future<node::Claims> claims = peer().engine().ask_claims();
  node::Status status = peer().engine().status();
  // Both questions were asked at the same time and have the same second to be answered.
  bool answered = claims.wait_for(std::chrono::seconds(1)) == std::future_status::ready;
  return json_text(status, answered ? claims.get() : node::Claims{}) + "\n";
}

std::string StatusServer::locks(const HttpRequest& request) {
  peer();
  LockQuery query =
      lock_query(request.parameter("find"), request.parameter("lock"), request.parameter("busy"),
                 request.parameter("order"), request.parameter("from"), request.parameter("count"));
  return watch::line_of(live_feed_->latest()->locks.window(query)) + "\n";
}

/// Does what `conch unlock --force` does.
std::string StatusServer::unlock(const HttpRequest& request) const {
  std::string lock = said(request, "lock");
  try {
    node::check_lock_name(lock);
  } catch (const Error& error) {
    throw HttpRefusal{"400 Bad Request", error.what()};
  }
  std::string group(peer().group());
  return done(PeerLine::to_one(group, NodeId{peer().id()}), node::ForceOpen{lock});
}

/// Does what `conch evict` does: another peer is asked, because none evicts itself.
std::string StatusServer::evict(const HttpRequest& request) const {
  NodeId id = id_named(said(request, "member"));
  return done(PeerLine::to_another(std::string(peer().group()), id), node::Evict{id});
}

}  // namespace conch::cli
