// Conch through its public C++ API.
#include <fmt/core.h>
#include <malloc.h>

#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <mutex>

#include "cell.hpp"
#include "conch_options.hpp"
#include "extras.hpp"
#include "shared.hpp"

namespace conch::bench {

namespace {

using namespace std::chrono_literals;

class ConchEntrant : public Entrant {
 public:
  ConchEntrant(const PeerOptions& options, int locks) : peer_(options) {
    for (int which = 0; which < locks; ++which)
      locks_.push_back(std::make_unique<Mutex>(peer_, fmt::format("lock{}", which)));
  }

  void lock(int which) override {
    Mutex& mutex = *locks_[static_cast<std::size_t>(which)];
    mutex.lock();
    count(mutex.receipt());
  }
  void unlock(int which) override { locks_[static_cast<std::size_t>(which)]->unlock(); }

  /// Counts every message once, at its sender. Receipts do not tell of the token, which an unlock
  /// sends, so it is counted where it arrives. The bytes are estimated with the mean size of a
  /// message.
  Traffic traffic() const override {
    std::uint64_t seen = sent_ + received_;
    std::uint64_t messages = sent_ + tokens_;
    return {messages, seen == 0 ? 0 : bytes_ * messages / seen};
  }

 private:
  void count(const Receipt& receipt) {
    sent_ += receipt.messages_sent;
    received_ += receipt.messages_received;
    bytes_ += receipt.bytes_sent + receipt.bytes_received;
    if (receipt.messages_received > 0) ++tokens_;
  }

  Peer peer_;
  std::vector<std::unique_ptr<Mutex>> locks_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t bytes_ = 0;
};

class ConchPeers : public Contender {
 public:
  ConchPeers(const std::string& algorithm, Transport transport)
      : Contender(
            fmt::format("conch {}, {}", algorithm, transport == Transport::tcp ? "TCP" : "Unix")),
        algorithm_(algorithm),
        transport_(transport) {}

  void stop() override { folder_.reset(); }
  /// Makes a new group for each measurement.
  void prepare(int locks) override {
    locks_ = locks;
    folder_.emplace();
  }
  std::unique_ptr<Entrant> enter(int) override {
    return std::make_unique<ConchEntrant>(peer_options(folder_->path(), algorithm_, transport_),
                                          locks_);
  }

 private:
  std::string algorithm_;
  Transport transport_;
  int locks_ = 1;
  std::optional<ScratchFolder> folder_;
};

/// Runs the measurement in a process of its own, with a peer.
template <class Measure>
double in_a_process(Measure measure, std::chrono::duration<double> time) {
  ScratchFolder folder;
  Process process([&] {
    Peer peer(peer_options(folder.path(), "naimi-trehel", Transport::tcp));
    return std::to_string(measure(peer));
  });
  return std::stod(process.finish(in(time + 60s)));
}

std::size_t bytes_allocated() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

double measure_idle_lock(Peer& peer) {
  constexpr int locks = 10'000;
  auto use = [&](const std::string& name) {
    Mutex mutex(peer, name);
    std::scoped_lock guard(mutex);
  };
  use("the first");  // its memory is not that of a lock alone
  std::size_t before = bytes_allocated();
  for (int which = 0; which < locks; ++which) use(fmt::format("lock{}", which));
  return (static_cast<double>(bytes_allocated()) - static_cast<double>(before)) / locks;
}

double measure_reacquire(Peer& peer, double seconds) {
  constexpr int batch = 1000;
  Mutex mutex(peer, "lock");
  std::vector<double> times_ns;
  std::uint64_t end_ns = now_ns() + static_cast<std::uint64_t>(seconds * 1e9);
  for (std::uint64_t begin = now_ns(); begin < end_ns;) {
    for (int i = 0; i < batch; ++i) {
      mutex.lock();
      mutex.unlock();
    }
    std::uint64_t end = now_ns();
    times_ns.push_back(static_cast<double>(end - begin) / batch);
    begin = end;
  }
  return median(std::move(times_ns));
}

}  // namespace

std::unique_ptr<Contender> conch_peers(const std::string& algorithm, Transport transport) {
  return std::make_unique<ConchPeers>(algorithm, transport);
}

double reacquire_ns(double seconds) {
  return in_a_process([&](Peer& peer) { return measure_reacquire(peer, seconds); },
                      std::chrono::duration<double>(seconds));
}

double idle_lock_bytes() { return in_a_process(measure_idle_lock, 0s); }

}  // namespace conch::bench
