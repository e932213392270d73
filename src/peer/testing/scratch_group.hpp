// A group for one test, in temporary folders that are removed with it.
#pragma once

#include <unistd.h>

#include <conch/peer.hpp>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "net/scratch_folder.hpp"

namespace conch::peer {

class ScratchGroup {
 public:
  PeerOptions options() {
    PeerOptions options;
    options.group = "test";
    options.state_directory = folder_.file("state");
    options.log = [this](std::string_view line) {
      std::lock_guard guard(mutex_);
      lines_.emplace_back(line);
    };
    return options;
  }
  const std::string& folder() const { return folder_.path(); }
  std::vector<std::string> log() const {
    std::lock_guard guard(mutex_);
    return lines_;
  }

 private:
  ScratchFolder folder_;
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace conch::peer
