// What `conch peer --http` shows of its peer.
#pragma once

#include <atomic>
#include <conch/peer.hpp>
#include <optional>
#include <string>

#include "watch/http.hpp"
#include "watch/metrics.hpp"

namespace conch::cli {

/// Outlives the peer that it looks at, for the peer tells it what happens until its end.
class Window {
 public:
  /// Throws Error as an HttpServer does. Until there is a peer, it shows that there is none.
  Window(const std::string& address, bool insecure);

  void look_at(Peer& peer);
  /// Before the peer leaves.
  void close() { server_.reset(); }
  const std::string& address() const { return server_->address(); }

 private:
  Peer& peer() const;
  std::string metrics() const;
  std::string status() const;

  watch::Metrics metrics_;
  std::atomic<Peer*> peer_ = nullptr;
  std::optional<watch::HttpServer> server_;
};

}  // namespace conch::cli
