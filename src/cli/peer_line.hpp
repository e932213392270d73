// A conversation with a peer of this machine, as its client.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/conversations.hpp"
#include "node/claim_survey.hpp"
#include "node/talk.hpp"
#include "peer/directories.hpp"

namespace conch::cli {

class PeerLine {
 public:
  /// To a peer that serves clients; nothing if none runs on this machine, or answers by then.
  static std::optional<PeerLine> to_host(const std::string& group, std::optional<Time> until);
  /// To any peer of the group on this machine. Throws Error if there is none.
  static PeerLine to_anybody(const std::string& group);
  /// To this one. Throws Error if it does not answer.
  static PeerLine to_one(const std::string& group, NodeId id);
  /// Rather to any other than this one.
  static PeerLine to_another(const std::string& group, NodeId than);

  void send(const node::ClientMessage& message);
  /// Nothing if none came in time. Throws Error when the peer has gone.
  std::optional<node::ClientReply> receive(std::optional<Time> until = std::nullopt);
  /// Sends, and waits for the answer, which is no failure.
  node::ClientReply ask(const node::ClientMessage& message);
  /// To what was sent. Throws Error if none comes, or that it has failed.
  node::ClientReply await_answer();

  /// What has come along with replies since the last time.
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

/// A peer's id as people read and write it: in hexadecimal.
std::string id_text(NodeId id);

}  // namespace conch::cli
