// A group of its own for a test, in folders that go with it.
#pragma once

#include <unistd.h>

#include <conch/peer.hpp>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace conch::peer {

class ScratchGroup {
 public:
  ScratchGroup() {
    std::string pattern = (std::filesystem::temp_directory_path() / "conch.XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~ScratchGroup() { std::filesystem::remove_all(folder_); }
  ScratchGroup(const ScratchGroup&) = delete;
  ScratchGroup& operator=(const ScratchGroup&) = delete;

  PeerOptions options() {
    PeerOptions options;
    options.group = "test";
    options.state_directory = folder_ + "/state";
    options.log = [this](std::string_view line) {
      std::lock_guard guard(mutex_);
      lines_.emplace_back(line);
    };
    return options;
  }
  const std::string& folder() const { return folder_; }
  std::vector<std::string> log() const {
    std::lock_guard guard(mutex_);
    return lines_;
  }

 private:
  std::string folder_;
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace conch::peer
