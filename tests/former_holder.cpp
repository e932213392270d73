// A program of the previous release, which speaks version 1 of the protocol: it holds the lock
// `deploy` until its input ends.
#include <conch/mutex.hpp>
#include <cstdio>

#include "peer/build.hpp"

int main() {
  conch::Peer peer({}, conch::peer::Build{.speaks = {1, 1}});
  conch::Mutex deploy(peer, "deploy");
  deploy.lock();
  std::puts("in 1");
  std::fflush(stdout);
  while (std::getchar() != EOF) continue;
  deploy.unlock();
}
