// The pages of `conch peer --http`: what they show of the peer and its group, and the actions that
// they allow.
#pragma once

#include <atomic>
#include <conch/peer.hpp>
#include <optional>
#include <string>

#include "cli/live_feed.hpp"
#include "http/broadcast.hpp"
#include "http/server.hpp"
#include "watch/metrics.hpp"

namespace conch::cli {

/// Outlives the peer that it shows, which reports events to it until its end.
class StatusServer {
 public:
  struct Options {
    std::string address;
    bool insecure = false;
    /// File with the token that permits actions; empty if none are permitted.
    std::string token_file;
  };

  /// Throws Error like HttpServer, or if the token is unusable. Until `look_at` the pages say that
  /// there is no peer.
  explicit StatusServer(const Options& options);

  void look_at(Peer& peer);
  /// Call it before the peer leaves.
  void close();
  const std::string& address() const { return server_->address(); }

 private:
  Peer& peer() const;
  std::string metrics() const;
  std::string status() const;
  std::string locks(const http::HttpRequest& request);
  std::string unlock(const http::HttpRequest& request) const;
  std::string evict(const http::HttpRequest& request) const;

  watch::PeerMetrics metrics_;
  http::Broadcast broadcast_;
  std::atomic<Peer*> peer_ = nullptr;
  bool has_actions_ = false;
  std::optional<LiveFeed> live_feed_;
  std::optional<http::HttpServer> server_;
};

}  // namespace conch::cli
