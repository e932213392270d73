// A client's connection to a peer of this machine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/client_link.hpp"
#include "node/claim_survey.hpp"
#include "node/talk.hpp"
#include "peer/directories.hpp"

namespace conch::cli {

class PeerLine {
 public:
  /// Connects to a peer that serves clients; empty if none runs on this machine, or none answers in
  /// time.
  static std::optional<PeerLine> to_host(const std::string& group, std::optional<Time> until);
  /// Connects to any peer of the group on this machine. Throws Error if there is none.
  static PeerLine to_anybody(const std::string& group);
  /// Connects to this peer. Throws Error if it does not answer.
  static PeerLine to_one(const std::string& group, NodeId id);
  /// Connects to any peer other than this one if possible.
  static PeerLine to_another(const std::string& group, NodeId than);

  void send(const node::ClientMessage& message);
  /// Empty if nothing came in time. Throws Error when the peer has gone.
  std::optional<node::ClientReply> receive(std::optional<Time> until = std::nullopt);
  /// Sends the message, and then behaves like `await_answer`.
  node::ClientReply ask(const node::ClientMessage& message);
  /// Waits for the answer to what was sent. Throws Error if none comes, or if it is a failure.
  node::ClientReply await_answer();

  /// Descriptors that came with replies since the last call.
  std::vector<net::Descriptor> take_enclosed() { return link_->take_enclosed(); }
  int descriptor() const { return link_->descriptor(); }
  /// Whether the peer understands `Describe` and `AskClaims`.
  bool knows_claims() const { return link_->version() >= node::claims_version; }

 private:
  explicit PeerLine(std::unique_ptr<net::ClientLink> link) : link_(std::move(link)) {}
  template <class Predicate>
  static std::optional<PeerLine> find(const std::string& group, Predicate&& is_wanted,
                                      std::optional<Time> until = std::nullopt);

  std::unique_ptr<net::ClientLink> link_;
};

/// A peer's id as people read and write it, in hexadecimal.
std::string id_text(NodeId id);

}  // namespace conch::cli
