// Uses everything of the library that a program may have to link, in C++17.
#include <conch/data.hpp>
#include <conch/mutex.hpp>
#include <conch/observer.hpp>
#include <conch/shared_mutex.hpp>
#include <conch/stop.hpp>
#include <conch/ticket.hpp>
#include <conch/version.hpp>
#include <cstdio>
#include <mutex>

namespace {

/// Checks that an exception of the library can be caught by its type.
bool is_refused(conch::Peer& peer) {
  try {
    conch::Mutex nameless(peer, "");
    return false;
  } catch (const conch::Error& error) {
    return error.code() == conch::ErrorCode::bad_argument;
  }
}

bool is_written(conch::Peer& peer) {
  conch::Data data(peer, "block");
  data.request();
  if (data.acquire() != conch::Outcome::ok || data.resize(3) != conch::Outcome::ok) return false;
  for (std::byte& byte : data.bytes()) byte = std::byte{7};
  return data.bytes().size() == 3 && data.release() == conch::Outcome::ok;
}

struct Count final : conch::Observer {
  int entries = 0;
  void entered(std::string_view, const Entry&) override { ++entries; }
};

bool is_seen(conch::Peer& peer) {
  Count count;
  conch::Observation observation = peer.observe(count);
  conch::Mutex mutex(peer, "seen");
  std::scoped_lock guard(mutex);
  conch::GroupStatus status = peer.status();
  return count.entries == 1 && status.members.size() == 1 && status.members[0].id == peer.id();
}

}  // namespace

int main() {
  conch::StopSource stop;
  conch::PeerOptions options;
  options.give_up = stop.get_token();
  conch::Peer peer(options);
  conch::Mutex mutex(peer, "installed");
  {
    std::scoped_lock guard(mutex);
    std::printf("%s, fence %llu\n", conch::version().data(),
                static_cast<unsigned long long>(mutex.fence()));
  }
  conch::Ticket ticket(peer, "installed");
  ticket.request();
  ticket.acquire();
  ticket.release();
  return is_refused(peer) && is_written(peer) && is_seen(peer) ? 0 : 1;
}
