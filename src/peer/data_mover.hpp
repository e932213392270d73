// Carries out the transfers of a node's data, with streams, threads and memory. The node decides
// what to move, where and why (node/data_store.hpp).
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/stream.hpp"
#include "node/data_world.hpp"
#include "peer/streams.hpp"

namespace conch::peer {

class Engine;
using Guard = std::unique_lock<std::mutex>;

/// The progress of a transfer in bytes. The thread that moves them updates it; any thread may read
/// it.
struct TransferProgress {
  std::atomic<std::uint64_t> moved = 0;
  std::atomic<std::uint64_t> total = 0;
};

class DataMover {
 public:
  explicit DataMover(Engine& engine) : engine_(engine) {}
  DataMover(const DataMover&) = delete;
  DataMover& operator=(const DataMover&) = delete;

  // Call these under the guard.

  /// Starts a transfer in a thread of its own; or, if a thread waits for it, leaves it to that
  /// thread's `carry_out`.
  void begin(node::Transfer transfer);
  void abort(std::uint64_t number);
  /// Retries transfers that no thread has taken: no thread could be started, or the one that waited
  /// has given up.
  void begin_again();
  void follow_view(const recovery::View& view) { streams_.follow_view(view); }
  /// This peer has a new life; its streams still speak for the former one.
  void drop_streams() { streams_.drop_all(); }
  /// Answers the peer that opened this stream, in a thread of its own.
  void serve(const PeerInstance& from, net::Stream stream);
  std::size_t transfers() const { return running_.size(); }
  /// The progress of a fetch or of sending a part back; none for other transfers.
  std::shared_ptr<TransferProgress> progress(std::uint64_t number) const;

  /// Carries out a transfer in the calling thread, and releases the guard meanwhile. Returns false
  /// if another thread does it, or there is no such transfer.
  bool carry_out(std::uint64_t number, Guard& guard);

  /// Aborts all transfers and waits for their threads. Call it without the guard.
  void stop();

  // Persists the data of a group that ends, in files, if the options say so.

  void save(const std::string& lock, node::Block& block);
  void forget_saved(const std::string& lock);
  std::vector<std::string> saved_locks();
  std::shared_ptr<node::Block> load(const std::string& lock, std::uint64_t version);

  struct Traffic {
    std::atomic<std::uint64_t> bytes_sent = 0;
    std::atomic<std::uint64_t> bytes_received = 0;
    /// How often memory was passed instead of copied.
    std::atomic<std::uint64_t> passed = 0;
  };
  const Traffic& traffic() const { return traffic_; }
  /// Call it under the guard.
  void count(std::uint64_t sent, std::uint64_t received);

 private:
  struct Running {
    node::Transfer transfer;
    std::shared_ptr<TransferProgress> progress;
    /// A thread carries it out.
    bool is_taken = false;
    bool is_aborted = false;
    std::shared_ptr<net::Stream> stream = {};
  };
  using Shared = std::shared_ptr<Running>;

  void spawn(std::function<void()> work);
  void start(const Shared& running);
  void run(const Shared& running, Guard& guard);
  net::StreamOptions stream_options() const;
  void count_unguarded(std::uint64_t sent, std::uint64_t received);

  // Call these without the guard.
  template <class Talk>
  node::TransferEnd talk(Running& running, const net::StreamOptions& options, Talk&& talk);
  node::TransferEnd carry_out(Running& running, const net::StreamOptions& options);
  node::TransferEnd fetch(const Running& running, net::Stream& stream);
  node::TransferEnd receive(const Running& running, bool is_torn, net::Stream& stream);
  node::TransferEnd offer(const Running& running, net::Stream& stream);
  node::TransferEnd patch(const Running& running, net::Stream& stream);

  // data_serving.cpp
  void answer_all(const PeerInstance& from, net::Stream& stream);
  void answer(const PeerInstance& from, const node::FetchData& m, net::Descriptor attached,
              net::Stream& stream);
  void answer(const PeerInstance& from, const node::KeepData& m, net::Descriptor attached,
              net::Stream& stream);
  void answer(const PeerInstance& from, const node::PatchData& m, net::Descriptor attached,
              net::Stream& stream);
  std::shared_ptr<node::Block> receive_kept(const node::KeepData& m, net::Descriptor attached,
                                            net::Stream& stream);

  Engine& engine_;
  std::map<std::uint64_t, Shared> running_;
  bool is_stopped_ = false;

  Streams streams_;
  Traffic traffic_;
  std::mutex threads_mutex_;
  std::condition_variable threads_changed_;
  std::size_t threads_ = 0;
};

}  // namespace conch::peer
