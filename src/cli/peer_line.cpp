#include "cli/peer_line.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <conch/error.hpp>
#include <thread>

#include "net/private_folder.hpp"
#include "peer/presence.hpp"
#include "wire/limits.hpp"

namespace conch::cli {

using namespace node;
using namespace peer;
using namespace std::chrono_literals;

namespace {

constexpr Duration answer_patience = std::chrono::seconds(15);
/// A living peer recreates its socket within a second if it was removed.
constexpr Duration socket_patience = std::chrono::seconds(2);

/// Waits for sockets if there are none but a running peer is seen. Otherwise a caller would take
/// that peer for dead, and report that there is no group or go on without its host.
std::vector<PeerSocket> living_sockets(const Directories& directories) {
  Time until = net::steady_now() + socket_patience;
  for (auto pause = std::chrono::milliseconds(5);; pause = std::min(2 * pause, 100ms)) {
    std::vector<PeerSocket> sockets = sockets_in(directories.sockets);
    if (!sockets.empty() || net::steady_now() >= until || present(directories.state).empty())
      return sockets;
    std::this_thread::sleep_for(pause);
  }
}

/// Explains why no peer was found although one runs; empty if none runs.
std::string why_unreachable(const std::string& group) {
  Directories directories = directories_of(group);
  std::vector<int> processes = present(directories.state);
  if (processes.empty()) return "";
  std::string why = "it may be stopped";
  if (sockets_in(directories.sockets).empty())
    why = fmt::format(
        "it has no socket in {}; put the directory back if it was removed, or end that process",
        directories.sockets);
  return fmt::format(
      "a peer of the group '{}' runs on this machine (process {}), but cannot be reached: {}",
      group, processes.front(), why);
}

}  // namespace

std::string id_text(NodeId id) { return fmt::format("{:x}", id.value); }

/// Killed peers may leave sockets behind, so it tries one after another.
template <class Predicate>
std::optional<PeerLine> PeerLine::find(const std::string& group, Predicate&& is_wanted,
                                       std::optional<Time> until) {
  check_directories(group);
  Directories directories = directories_of(group);
  std::string folder = directories.sockets;
  std::vector<PeerSocket> sockets = living_sockets(directories);
  std::erase_if(sockets, [&](const PeerSocket& socket) { return !is_wanted(socket); });
  // Spreads the clients over the peers.
  auto first = sockets.begin() + (sockets.empty() ? 0 : ::getpid() % std::ssize(sockets));
  std::rotate(sockets.begin(), first, sockets.end());
  std::string refusal;
  for (const PeerSocket& socket : sockets) {
    Time answer_due = net::steady_now() + wire::handshake_patience;
    if (until) answer_due = std::min(answer_due, *until);
    try {
      std::string path = socket_path(folder, socket);
      return PeerLine(std::make_unique<net::ClientLink>(path, group, answer_due));
    } catch (const net::Untrusted&) {
      throw;
    } catch (const net::RefusedError& refused) {
      refusal = refused.what();
    } catch (const Error&) {
    }
  }
  if (!refusal.empty()) throw Error(refusal);
  return std::nullopt;
}

std::optional<PeerLine> PeerLine::to_host(const std::string& group, std::optional<Time> until) {
  return find(
      group, [](const PeerSocket& socket) { return socket.role == SocketRole::host; }, until);
}

PeerLine PeerLine::to_anybody(const std::string& group) {
  auto line = find(group, [](const PeerSocket&) { return true; });
  if (line) return std::move(*line);
  if (std::string why = why_unreachable(group); !why.empty()) throw Error(why);
  throw Error(fmt::format(
      "no peer of the group '{}' runs on this machine (`conch peer --group {}` starts one)", group,
      group));
}

PeerLine PeerLine::to_one(const std::string& group, NodeId id) {
  auto line = find(group, [&](const PeerSocket& socket) { return socket.id == id; });
  if (line) return std::move(*line);
  throw Error(fmt::format("the peer {} of the group '{}' does not answer", id_text(id), group));
}

PeerLine PeerLine::to_another(const std::string& group, NodeId than) {
  auto line = find(group, [&](const PeerSocket& socket) { return socket.id != than; });
  return line ? std::move(*line) : to_anybody(group);
}

void PeerLine::send(const ClientMessage& message) {
  std::string bytes;
  encode(bytes, message);
  link_->send(bytes);
}

std::optional<ClientReply> PeerLine::receive(std::optional<Time> until) {
  std::optional<std::string> bytes = link_->receive(until);
  if (!bytes) return std::nullopt;
  std::string why;
  auto reply = unpacked<ClientReply>(*bytes, why);
  if (!reply) throw Error("malformed answer from the peer: " + why);
  return reply;
}

ClientReply PeerLine::ask(const ClientMessage& message) {
  send(message);
  return await_answer();
}

ClientReply PeerLine::await_answer() {
  std::optional<ClientReply> reply = receive(net::steady_now() + answer_patience);
  if (!reply) throw Error("the peer does not answer: it may be stopped");
  while (const auto* underway = std::get_if<Underway>(&*reply)) {
    reply = receive(net::steady_now() + underway->most + answer_patience);
    if (!reply) throw Error("the peer no longer answers: it may be stopped");
  }
  if (const auto* failed = std::get_if<Failed>(&*reply)) throw Error(failed->why);
  return std::move(*reply);
}

}  // namespace conch::cli
