// What `conch peer --http` shows of its peer and its group, and what may be done there.
#pragma once

#include <atomic>
#include <conch/peer.hpp>
#include <optional>
#include <string>

#include "cli/lookout.hpp"
#include "http/broadcast.hpp"
#include "http/server.hpp"
#include "watch/metrics.hpp"

namespace conch::cli {

/// Outlives the peer that it looks at, for the peer tells it what happens until its end.
class Window {
 public:
  struct Options {
    std::string address;
    bool insecure = false;
    /// Of who may do more than look; empty: nobody.
    std::string token_file;
  };

  /// Throws Error as an HttpServer does, or about the token. Until there is a peer, it shows that
  /// there is none.
  explicit Window(const Options& options);

  void look_at(Peer& peer);
  /// Before the peer leaves.
  void close();
  const std::string& address() const { return server_->address(); }

 private:
  Peer& peer() const;
  std::string metrics() const;
  std::string status() const;
  std::string locks(const http::Request& request);
  std::string unlock(const http::Request& request) const;
  std::string evict(const http::Request& request) const;

  watch::Metrics metrics_;
  http::Broadcast broadcast_;
  std::atomic<Peer*> peer_ = nullptr;
  bool has_actions_ = false;
  std::optional<Lookout> lookout_;
  std::optional<http::HttpServer> server_;
};

}  // namespace conch::cli
