// Fuzzes a peer that has data: a member sends it anything over a stream. What the member asks for,
// sends and claims is bounded, and the peer and its data survive.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <conch/data.hpp>
#include <cstring>
#include <thread>

#include "core/encode.hpp"
#include "fuzz.hpp"
#include "net/stream_connection.hpp"
#include "peer/data_mover.hpp"
#include "peer/engine.hpp"
#include "peer/testing/scratch_group.hpp"

using namespace conch;

namespace {

constexpr std::string_view treasure = "what others may want";

/// A peer, and a resource that it has written.
struct Victim {
  Victim() : peer(group.options()), data(peer, "treasure") {
    data.request();
    data.acquire();
    data.resize(treasure.size());
    std::memcpy(data.bytes().data(), treasure.data(), treasure.size());
    data.release();
  }
  /// A member may replace the data, and even lose them. But the holder of the lock is told, and
  /// goes on.
  bool goes_on() {
    bool asked = data.request(Access::shared) == Outcome::ok;
    Outcome first = data.acquire();
    bool told = first == Outcome::peer_lost || first == Outcome::torn;
    bool inside = first == Outcome::ok || (told && data.acquire() == Outcome::ok);
    return asked && inside && data.release() == Outcome::ok;
  }

  peer::ScratchGroup group;
  Peer peer;
  Data data;
};

Victim& victim() {
  static Victim one;
  return one;
}

std::string note(std::string_view text) {
  auto size = static_cast<std::uint32_t>(text.size());
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift);
  bytes += text;
  constexpr std::size_t step = wire::stream_note_step;
  return bytes.append((step - bytes.size() % step) % step, '\0');
}

std::string question(const node::DataQuestion& question) {
  std::string bytes;
  encode(bytes, question);
  return note(bytes);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  NodeId somebody{7};
  return {question(node::FetchData{"treasure", 1, {}}),
          question(node::KeepData{"other", {9, 5, somebody}}) + "bytes",
          question(node::KeepData{"other", {9, 5, somebody}, true, true}) + "bytes",
          question(node::KeepData{"other", {9, 5, somebody}, false, false, false, "bytes"}),
          question(node::PatchData{"treasure", 1, {9, 21, somebody}, {0, 5}}) + "bytes"};
}

/// Sends the whole input at once, and then hangs up.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::array<int, 2> ends{};
  fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, "a pair");
  net::Stream stream(std::make_unique<net::Stream::Connection>(
      net::Socket(net::Descriptor(ends[0])), wire::Route::remote, "somebody"));
  net::Descriptor hostile(ends[1]);
  peer::Engine& engine = victim().peer.engine();
  {
    peer::Guard guard = engine.guard();
    engine.mover().serve(engine.node().self(), std::move(stream));
  }
  std::size_t some = std::min<std::size_t>(size, 1 << 16);
  std::ignore = ::send(hostile.number(), data, some, MSG_NOSIGNAL);
  ::shutdown(hostile.number(), SHUT_WR);
  std::array<char, 4096> answers{};
  while (::recv(hostile.number(), answers.data(), answers.size(), 0) > 0) {
  }
  fuzz::require(victim().goes_on(), "the lock and its data can be had");
  return 0;
}
