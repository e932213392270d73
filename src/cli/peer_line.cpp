#include "cli/peer_line.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <conch/error.hpp>

#include "net/private_folder.hpp"
#include "wire/limits.hpp"

namespace conch::cli {

using namespace peer;

namespace {

constexpr Duration answer_patience = std::chrono::seconds(15);

}  // namespace

std::string id_text(NodeId id) { return fmt::format("{:x}", id.value); }

/// Sockets may be left behind by peers that were killed: the next one is tried.
template <class Predicate>
std::optional<PeerLine> PeerLine::find(const std::string& group, Predicate&& is_wanted,
                                       std::optional<Time> until) {
  check_directories(group);
  std::string folder = directories_of(group).sockets;
  std::vector<Socket> sockets = sockets_in(folder);
  std::erase_if(sockets, [&](const Socket& socket) { return !is_wanted(socket); });
  // Not everybody to the same one.
  auto first = sockets.begin() + (sockets.empty() ? 0 : ::getpid() % std::ssize(sockets));
  std::rotate(sockets.begin(), first, sockets.end());
  std::string refusal;
  for (const Socket& socket : sockets) {
    Time answer_due = net::steady_now() + wire::handshake_patience;
    if (until) answer_due = std::min(answer_due, *until);
    try {
      std::string path = socket_path(folder, socket);
      return PeerLine(std::make_unique<net::ClientLink>(path, group, answer_due));
    } catch (const net::Untrusted&) {
      throw;
    } catch (const net::Refused& refused) {
      refusal = refused.what();
    } catch (const Error&) {
    }
  }
  if (!refusal.empty()) throw Error(refusal);
  return std::nullopt;
}

std::optional<PeerLine> PeerLine::to_host(const std::string& group, std::optional<Time> until) {
  return find(
      group, [](const Socket& socket) { return socket.role == Role::host; }, until);
}

PeerLine PeerLine::to_anybody(const std::string& group) {
  auto line = find(group, [](const Socket&) { return true; });
  if (line) return std::move(*line);
  throw Error(fmt::format(
      "no peer of the group '{}' runs on this machine (`conch peer --group {}` starts one)", group,
      group));
}

PeerLine PeerLine::to_one(const std::string& group, NodeId id) {
  auto line = find(group, [&](const Socket& socket) { return socket.id == id; });
  if (line) return std::move(*line);
  throw Error(fmt::format("the peer {} of the group '{}' does not answer", id_text(id), group));
}

PeerLine PeerLine::to_another(const std::string& group, NodeId than) {
  auto line = find(group, [&](const Socket& socket) { return socket.id != than; });
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
  if (!reply) throw Error("the peer's answer makes no sense: " + why);
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
    if (!reply) throw Error("the peer does not answer any more: it may be stopped");
  }
  if (const auto* failed = std::get_if<Failed>(&*reply)) throw Error(failed->why);
  return std::move(*reply);
}

}  // namespace conch::cli
