// Where peers of a state directory say that they wait to join or to leave, so that the first of
// them proposes one view for all:
//
//   joining/life.ID.INCARNATION   a newcomer (recovery/view.hpp)
//   leaving/life.ID.INCARNATION   empty
//
// What is here decides nothing. A file that is lost makes its peer wait a little longer, and one
// whose peer has died is passed over.
#pragma once

#include <functional>

#include "recovery/view.hpp"
#include "register/directory.hpp"
#include "register/staging_dir.hpp"

namespace conch::file {

class WaitingRoom {
 public:
  /// Whether the lease of a life runs, as far as can be seen now.
  using IsAlive = std::function<bool(const PeerInstance&)>;

  WaitingRoom(const Directory& root, StagingDir& work, IsAlive is_alive)
      : root_(root), work_(work), is_alive_(std::move(is_alive)) {}

  void enter(const recovery::Newcomer& newcomer);
  void enter_to_leave(const PeerInstance& member);
  /// What this life is to know of the others; it waits itself.
  recovery::Waiting look(const recovery::View& view, const PeerInstance& asker) const;
  /// Removes what no longer waits.
  void sweep(const recovery::View& newest);

 private:
  std::vector<PeerInstance> lives_in(const char* folder) const;
  std::optional<recovery::Newcomer> newcomer(const PeerInstance& life) const;
  void put(const char* folder, const PeerInstance& life, std::string_view bytes);

  const Directory& root_;
  StagingDir& work_;
  IsAlive is_alive_;
};

}  // namespace conch::file
