// A process of the release before this one, which speaks version 1 of the protocol: it holds the
// lock `deploy` until its input ends.
#include <conch/mutex.hpp>
#include <cstdio>

#include "recovery/versions.hpp"

namespace conch::recovery {

Versions spoken() { return {1, 1}; }

}  // namespace conch::recovery

int main() {
  conch::Peer peer;
  conch::Mutex deploy(peer, "deploy");
  deploy.lock();
  std::puts("in 1");
  std::fflush(stdout);
  while (std::getchar() != EOF) continue;
  deploy.unlock();
}
