// The keys of a group in etcd; docs/etcd.md says what is in them.
//
//   /conch/GROUP/terms                       written once: how long a lease is
//   /conch/GROUP/view/NUMBER                 a view; in twenty digits, so that the newest is last
//   /conch/GROUP/lease/life.ID.INCARNATION   of a life that the newest view mentions
//   /conch/GROUP/gone/life.ID.INCARNATION    there was such a life: it does not begin again
//   /conch/GROUP/restored                    somebody has seen that an older state was restored
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "recovery/view.hpp"
#include "register/etcd_talk.hpp"

namespace conch::etcd {

class Names {
 public:
  explicit Names(const std::string& group) : prefix_("/conch/" + group + "/") {}

  Keys all() const { return beginning_with(prefix_); }
  std::string terms() const { return prefix_ + "terms"; }
  std::string view(std::uint64_t number) const;
  Keys views() const { return beginning_with(prefix_ + "view/"); }
  /// From this number on.
  Keys views_from(std::uint64_t number) const { return {view(number), views().end}; }
  std::string lease(const recovery::Life& life) const;
  Keys leases() const { return beginning_with(prefix_ + "lease/"); }
  std::string gone(const recovery::Life& life) const;
  std::string restored() const { return prefix_ + "restored"; }

  /// Whose a key is; none if it is no such.
  std::optional<std::uint64_t> view_in(std::string_view key) const;
  std::optional<recovery::Life> lease_in(std::string_view key) const;

 private:
  std::string prefix_;
};

}  // namespace conch::etcd
