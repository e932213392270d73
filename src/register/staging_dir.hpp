// A private staging folder for one register object, `work.TAG`. Files are made there before they
// get their final names, and taken apart there after they have lost them. The kernel unlocks the
// file `lock` in it when the process dies; then any peer may remove the folder.
#pragma once

#include <string>
#include <string_view>

#include "register/directory.hpp"

namespace conch::file {

class StagingDir {
 public:
  explicit StagingDir(const Directory& root);
  ~StagingDir();
  StagingDir(const StagingDir&) = delete;
  StagingDir& operator=(const StagingDir&) = delete;

  /// Returns a name in this folder that was not used before.
  std::string fresh_name();
  /// Creates a new file in this folder and returns its name.
  std::string write(std::string_view bytes, bool durable);
  /// Moves the file or folder here in one step, so that its name is free, and then removes it.
  void discard(const std::string& name);
  /// Removes the staging folders of dead processes.
  void sweep();

 private:
  bool settle();
  void expect_links();
  void take_apart(const std::string& staging) const;

  const Directory& root_;
  int process_;
  std::string name_;
  Descriptor lock_;
  std::uint64_t names_used_ = 0;
};

}  // namespace conch::file
