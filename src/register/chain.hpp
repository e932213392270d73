// The views, one after the other, each decided by a link(2) that can succeed only once.
//
// A name that is unlinked can be linked again, by somebody who was stopped just before it did and
// wakes when the group has long gone on. So no single view is ever unlinked. Views stand in
// *segments*, folders `views.FIRST.TAG` of so many views each; the tag is random, and the last view
// of a segment names the next, which its proposer made before. A segment that is out of date loses
// its name in one rename, and then its views are removed. Hence
//
// - a segment's name is never used again, so a late link finds no folder and fails;
// - as long as a segment has its name, nothing in it was ever removed: what is not there was never
//   decided;
// - only a segment of the chain has views in it. One that was made for a proposal that was refused
//   stays empty.
//
// The file `chain` names the first segment; it is never removed.
#pragma once

#include <optional>
#include <string>

#include "register/directory.hpp"
#include "register/steps.hpp"
#include "register/view_file.hpp"
#include "register/workplace.hpp"

namespace conch::file {

class Chain {
 public:
  /// Founds the chain on these terms if there is none.
  Chain(const Directory& root, Workplace& work, ChainFile terms, bool durable, Steps steps);

  const ChainFile& terms() const { return terms_; }
  /// The newest view; number 0 if there is none.
  const recovery::View& newest();
  /// The view of this number, if it is remembered: the last `segment_views` at least.
  std::optional<recovery::View> find(std::uint64_t number) const;
  /// Whether this became the view after what `newest` last answered.
  bool append(const recovery::View& next);
  /// Forgets the segments before the last but one, and those that came to nothing.
  void prune();

  /// Where the next view will appear.
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
  Workplace& work_;
  ChainFile terms_;
  bool durable_;
  Steps steps_;

  /// Where `newest` last was: a segment, and a view in it (or before it, if it is empty).
  std::string segment_;
  std::uint64_t number_ = 0;
  ViewFile newest_;
  /// The largest that `newest` has answered.
  std::uint64_t highest_ = 0;
  /// The names of the views up to this one are on the device.
  std::uint64_t durable_number_ = 0;
};

}  // namespace conch::file
