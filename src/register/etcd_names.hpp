// The keys of a group in etcd; docs/register.md says what is in them.
//
//   /conch/GROUP/terms                       written once: the lease duration
//   /conch/GROUP/view/NUMBER                 a view; twenty digits, so that the newest sorts last
//   /conch/GROUP/lease/life.ID.INCARNATION   the lease of a life that the newest view mentions
//   /conch/GROUP/gone/life.ID.INCARNATION    this life existed, and does not begin again
//   /conch/GROUP/restored                    a peer has noticed that an older state was restored
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "recovery/view.hpp"
#include "register/etcd_talk.hpp"

namespace conch::etcd {

class KeyNames {
 public:
  explicit KeyNames(const std::string& group) : prefix_("/conch/" + group + "/") {}

  Keys all() const { return beginning_with(prefix_); }
  std::string terms() const { return prefix_ + "terms"; }
  std::string view(std::uint64_t number) const;
  Keys views() const { return beginning_with(prefix_ + "view/"); }
  /// All views from this number on.
  Keys views_from(std::uint64_t number) const { return {view(number), views().end}; }
  std::string lease(const PeerInstance& life) const;
  Keys leases() const { return beginning_with(prefix_ + "lease/"); }
  std::string gone(const PeerInstance& life) const;
  std::string restored() const { return prefix_ + "restored"; }

  /// Parse a key; empty if it is of another kind.
  std::optional<std::uint64_t> view_in(std::string_view key) const;
  std::optional<PeerInstance> lease_in(std::string_view key) const;

 private:
  std::string prefix_;
};

}  // namespace conch::etcd
