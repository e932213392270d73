// The lives of this machine in a register that is not: of these one knows when they die.
//
// Each has a mark (process.hpp) in a folder that its neighbours look into. A life without one is on
// another machine, or in another state directory, or somebody has removed the folder since: its
// lease ends by time.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "recovery/view.hpp"
#include "register/directory.hpp"

namespace conch::file {

class Neighbours {
 public:
  /// Makes the folder if it is not there.
  explicit Neighbours(const std::string& folder);
  ~Neighbours();
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  /// Becomes readable when one dies that was looked at.
  int descriptor() const { return epoll_.number(); }

  /// This process is that life from now on, until it is another, or this object has gone.
  void attach(const recovery::Life& life);
  /// Whether it is known to have died. If not, one is woken when it does.
  bool has_died(const recovery::Life& life);
  /// One is woken for no others any longer, and what the dead of others left behind is removed.
  void keep(const recovery::View& mentioned);

 private:
  const Directory& root();

  std::string folder_;
  Directory root_;
  Descriptor epoll_;
  std::optional<recovery::Life> mine_;
  Descriptor mark_;
  /// None in the place of one that has died.
  std::map<recovery::Life, Descriptor> processes_;
};

}  // namespace conch::file
