// The streams that this peer has opened, kept for reuse, and those that others have opened. Any
// thread may call.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/stream.hpp"
#include "recovery/view.hpp"

namespace conch::peer {

class Streams {
 public:
  using Shared = std::shared_ptr<net::Stream>;

  /// A reused stream may have broken since.
  struct Loan {
    Shared stream;
    bool is_used = false;
  };
  /// Returns an idle stream to this life or opens a new one. Throws Error if that fails.
  Loan borrow(const net::StreamOptions& options, const PeerInstance& to,
              const std::string& address);
  /// Makes the stream available for reuse.
  void give_back(const PeerInstance& to, const Shared& stream);

  /// Registers a stream that is in use, so that it is aborted with the others. Throws Error after
  /// `close`.
  void enlist(const PeerInstance& with, const Shared& stream);
  void strike(const Shared& stream);

  /// Aborts the streams with lives that the view no longer mentions: over TCP, nothing else may
  /// tell that the other side has gone.
  void follow_view(const recovery::View& view);
  /// Drops idle streams and aborts those in use, as they introduced this peer as its former life.
  /// The other sides have hung up on that life, but a network that was down may not have told us.
  void drop_all();
  /// Aborts all streams and allows no new ones.
  void close();

 private:
  /// The most idle streams to keep for one life.
  static constexpr std::size_t idle_max = 2;

  std::mutex mutex_;
  bool closed_ = false;
  std::map<PeerInstance, std::vector<Shared>> idle_;
  std::map<Shared, PeerInstance> used_;
};

}  // namespace conch::peer
