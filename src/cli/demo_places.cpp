#include "cli/demo_places.hpp"

#include <array>
#include <atomic>
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <mutex>
#include <optional>
#include <random>
#include <string_view>

#include "cli/slow_wire.hpp"
#include "net/scratch_folder.hpp"

namespace conch::cli {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t peers_of_place = 3;
constexpr std::size_t peers = 2 * peers_of_place;
constexpr Seconds start_patience = std::chrono::seconds(30);

std::size_t place_of(std::size_t peer) { return peer / peers_of_place; }

/// Lives in shared memory.
struct PlacesBoard {
  std::atomic<std::size_t> in_group{0};
  std::atomic<bool> may_begin{false};
  std::atomic<bool> counts{false};
  /// One flag per place. The second place ends first, because the first has the register.
  std::array<std::atomic<bool>, 2> ends{};

  // Only the lock holder writes these.
  std::atomic<std::uint64_t> inside{0};
  std::atomic<bool> overlapped{false};
  std::atomic<std::size_t> last_place{2};
  std::atomic<std::uint64_t> entries{0};
  std::atomic<std::uint64_t> crossings{0};
  std::atomic<std::uint64_t> waited_ns{0};
};

/// Stays inside for a millisecond, then stays away for up to ten.
void work(const PeerOptions& options, PlacesBoard& board, std::size_t number) {
  Peer peer(options);
  Mutex mutex(peer, "shared");
  ++board.in_group;
  while (!board.may_begin) doze(milliseconds(1));
  std::minstd_rand dice(static_cast<unsigned>(number) + 1);
  while (!board.ends[place_of(number)]) {
    std::uint64_t asked_ns = now_ns();
    {
      std::scoped_lock guard(mutex);
      if (board.inside.exchange(1) != 0) board.overlapped = true;
      bool crossed = board.last_place.exchange(place_of(number)) != place_of(number);
      if (board.counts) {
        ++board.entries;
        board.crossings += crossed ? 1 : 0;
        board.waited_ns += now_ns() - asked_ns;
      }
      doze(milliseconds(1));
      board.inside = 0;
    }
    doze(milliseconds(dice() % 10));
  }
}

/// Each place has directories of its own, like two machines; the register is in the first.
class Places {
 public:
  explicit Places(std::string algorithm) : algorithm_(std::move(algorithm)) {
    for (SlowWire::PeerAddresses& addresses : addresses_) addresses = wire_.add_peer();
  }

  PlacesResult run(Seconds measured) {
    workers_.begin([&] { wire_.run(); });
    for (std::size_t peer = 0; peer < peers; ++peer) {
      workers_.begin([&, peer] { work(options(peer), *board_, peer); });
      workers_.await([&] { return board_->in_group == peer + 1; }, start_patience,
                     "a peer could not join the group");
    }
    board_->may_begin = true;
    workers_.rest(between_places * 10);  // until all have asked
    board_->counts = true;
    workers_.rest(measured);
    board_->counts = false;
    for (std::size_t place : {1U, 0U}) {
      board_->ends[place] = true;
      workers_.await([&] { return have_ended(place); }, start_patience, "not all peers left");
    }
    PlacesResult result;
    result.entries = board_->entries;
    result.crossings = board_->crossings;
    result.measured = measured;
    if (result.entries > 0)
      result.mean_wait = Seconds(static_cast<double>(board_->waited_ns) * 1e-9 /
                                 static_cast<double>(result.entries));
    result.overlapped = board_->overlapped;
    return result;
  }

 private:
  PeerOptions options(std::size_t peer) const {
    constexpr std::array names{"west", "east"};
    std::string place = names[place_of(peer)];
    PeerOptions options;
    options.group = "places";
    options.option_names = OptionNames::command_line;
    options.algorithm = algorithm_;
    options.cluster = place;
    options.listen = {addresses_[peer].listen};
    options.advertise = addresses_[peer].advertise;
    if (place_of(peer) > 0) options.join = {addresses_[0].advertise};
    options.state_directory = folder_.file(place + "/state");
    options.log = [](std::string_view) {};
    return options;
  }
  /// The first worker process is the wire.
  bool have_ended(std::size_t place) const {
    for (std::size_t peer = 0; peer < peers; ++peer)
      if (place_of(peer) == place && !workers_.has_ended(peer + 1)) return false;
    return true;
  }

  std::string algorithm_;
  SlowWire wire_{between_places};
  std::array<SlowWire::PeerAddresses, peers> addresses_;
  ScratchFolder folder_;
  SharedState<PlacesBoard> board_;
  /// Declared last, so that the workers end before what they use.
  WorkerProcesses workers_;
};

}  // namespace

PlacesResult work_in_two_places(const std::string& algorithm, Seconds measured) {
  return Places(algorithm).run(measured);
}

}  // namespace conch::cli
