// The chain of views. Each view is decided by a link(2), which can succeed only once.
//
// An unlinked name can be linked again, by a process that was stopped just before its link and
// wakes when the group has long moved on. So no single view is ever unlinked. Views are kept in
// *segments*, folders `views.FIRST.TAG` of a fixed number of views. The tag is random, and the last
// view of a segment names the next segment, which its proposer created before. An outdated segment
// loses its name in one rename, and only then are its views removed. Hence
//
// - a segment's name is never used again, so a late link finds no folder and fails;
// - while a segment has its name, nothing was ever removed from it: a view that is not there was
//   never decided;
// - only a segment of the chain has views in it. One that was made for a refused proposal stays
//   empty.
//
// The file `chain` names the first segment; it is never removed.
#pragma once

#include <optional>
#include <string>

#include "register/crash_points.hpp"
#include "register/directory.hpp"
#include "register/staging_dir.hpp"
#include "register/view_file.hpp"

namespace conch::file {

class Chain {
 public:
  /// Creates the chain on these terms if there is none.
  Chain(const Directory& root, StagingDir& work, ChainFile terms, bool durable, CrashPoints steps);

  const ChainFile& terms() const { return terms_; }
  /// The newest view; number 0 if there is none.
  const recovery::View& newest();
  /// The view that `newest` last returned.
  const recovery::View& known() const { return newest_.view; }
  /// How long ago the newest view was accepted, by this machine's clock; Duration::max() if nobody
  /// knows.
  Duration age() const;
  /// The view of this number, if it is remembered. At least the last `segment_views` are.
  std::optional<recovery::View> find(std::uint64_t number) const;
  /// Whether `next` became the view after the one that `newest` last returned.
  bool append(const recovery::View& next);
  /// Removes the segments before the last but one, and those made for refused proposals.
  void prune();

  /// The segment in which the next view will appear.
  const std::string& growing_segment() const { return is_full() ? newest_.next_segment : segment_; }

 private:
  void found();
  const recovery::View& see_newest();
  bool jump();
  bool advance();
  bool load();
  bool is_full() const { return number_ > 0 && number_ % terms_.segment_views == 0; }
  std::uint64_t first_of(std::uint64_t number) const {
    return (number - 1) / terms_.segment_views * terms_.segment_views + 1;
  }
  std::string new_segment(std::uint64_t first) const;
  void make_durable(const std::string& segment, std::uint64_t number);

  const Directory& root_;
  StagingDir& work_;
  ChainFile terms_;
  bool durable_;
  CrashPoints steps_;

  /// The position that `newest` last reached: a segment, and a view in it (or before it, if the
  /// segment is empty).
  std::string segment_;
  std::uint64_t number_ = 0;
  ViewFile newest_;
  /// The largest number that `newest` has returned.
  std::uint64_t highest_ = 0;
  /// The names of the views up to this one are on the device.
  std::uint64_t durable_number_ = 0;
};

}  // namespace conch::file
