// The lives of this machine in a register that is not: of these one knows when they die.
//
// Each has a mark (process.hpp) in a folder that its neighbours look into. A life without one is on
// another machine, or in another state directory, or somebody has removed the folder since: its
// lease ends by time.
#pragma once

#include <map>
#include <optional>
#include <set>
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

  /// Becomes readable when one dies that was looked at, or one that has died may have lost its last
  /// keeper.
  int descriptor() const { return epoll_.number(); }

  /// This process is that life from now on, until it is another, or this object has gone.
  void attach(const recovery::Life& life);
  /// For a keeper of a life that is this process; see Register::proof. None for another.
  Descriptor proof(const recovery::Life& life) const;
  /// Whether it is known to have died. If not, one is woken when it does.
  bool has_died(const recovery::Life& life);
  /// One is woken for no others any longer, and what the dead of others left behind is removed.
  void keep(const recovery::View& mentioned);

 private:
  const Directory& root();
  void look_again_for(const recovery::Life& life, bool is_kept);

  std::string folder_;
  Directory root_;
  Descriptor epoll_;
  /// Nothing tells that a keeper has gone.
  Descriptor timer_;
  std::set<recovery::Life> kept_;
  std::optional<recovery::Life> mine_;
  Descriptor mark_;
  /// None in the place of one that has died.
  std::map<recovery::Life, Descriptor> processes_;
};

}  // namespace conch::file
