// The streams that this peer has opened, to be used again, and those that others have opened. By
// any thread.
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
  using Life = recovery::Life;
  using Shared = std::shared_ptr<net::Stream>;

  /// One that was used before may have broken since.
  struct Loan {
    Shared stream;
    bool is_used = false;
  };
  /// Throws Error if it cannot be had.
  Loan borrow(const net::StreamOptions& options, const Life& to, const std::string& address);
  /// Somebody may use it again.
  void give_back(const Life& to, const Shared& stream);

  /// Is aborted with the others. Throws Error after `close`.
  void enlist(const Life& with, const Shared& stream);
  void strike(const Shared& stream);

  /// Aborts those with whoever is not mentioned any more: over TCP, nobody else tells that the
  /// other side has gone.
  void follow_view(const recovery::View& view);
  /// They say that this peer is who it was: those in use are aborted. The others have hung up on
  /// that life, but a network that was away may not have told.
  void drop_all();
  /// Aborts all, and there will be no more.
  void close();

 private:
  /// Kept for the next time, to one life.
  static constexpr std::size_t idle_max = 2;

  std::mutex mutex_;
  bool closed_ = false;
  std::map<Life, std::vector<Shared>> idle_;
  std::map<Shared, Life> used_;
};

}  // namespace conch::peer
