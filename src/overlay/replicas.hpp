// Where a lock's replicas are: at the roots of n keys that come from its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/hash.hpp"
#include "overlay/routing.hpp"

namespace conch::overlay {

/// Which of a lock's replicas, 0 .. n-1.
using Index = std::uint32_t;

/// The baton with the larger fence. Of two with the same fence, the one with the newer data, which
/// were written under it.
inline const Baton& later(const Baton& a, const Baton& b) {
  bool same = a.fence == b.fence;
  return (same ? a.data.version < b.data.version : a.fence < b.fence) ? b : a;
}

constexpr std::uint64_t hash_of_name(std::string_view name) {
  Hash64 hash;
  for (char c : name) hash.mix(static_cast<unsigned char>(c));
  return hash.value();
}

/// The keys stand at equal distances on the ring, so that no two have the same root in an overlay
/// group that is large enough, and a node that fails takes one replica with it.
class Replicas {
 public:
  /// With leases, each replica needs three timers with numbers of their own.
  static constexpr unsigned most_leased = 36;

  explicit constexpr Replicas(const Replication& lock) : first_(lock.name), size_(lock.replicas) {
    bool leased = lock.lease > Duration::zero();
    CONCH_EXPECT(size_ >= 1 && (!leased || size_ <= most_leased), "with leases, 1 to 36 replicas");
  }

  constexpr Index size() const { return size_; }
  constexpr Index majority() const { return size_ / 2 + 1; }
  constexpr Key key(Index replica) const { return Key{first_ + replica * spacing()}; }
  constexpr std::optional<Index> at(Key key) const {
    std::uint64_t distance = static_cast<std::uint64_t>(key) - first_;
    if (distance % spacing() != 0 || distance / spacing() >= size_) return std::nullopt;
    return static_cast<Index>(distance / spacing());
  }

 private:
  constexpr std::uint64_t spacing() const { return ~std::uint64_t{0} / size_; }

  std::uint64_t first_;
  Index size_;

 public:
  CONCH_FIELDS(Replicas, first_, size_)
};

}  // namespace conch::overlay
