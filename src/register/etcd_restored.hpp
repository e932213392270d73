// Handles an etcd cluster that was restored from a backup. Its views and leases would continue from
// an older state. The first peer that notices leaves a mark in etcd, and no peer decides anything
// until an operator accepts the restored state.
#pragma once

#include <functional>
#include <string>

#include "register/etcd_register.hpp"

namespace conch::etcd {

inline const std::string restored_text =
    "etcd was restored from a backup, or keys of the group were removed: it does not know what "
    "happened since, and nobody gets or keeps a lock. To continue with what etcd has, run `conch "
    "doctor --accept-restored` with the options of the peers";

/// The newest view number and the newest epoch that any peer had seen before the restore.
struct SeenBeforeRestore {
  std::uint64_t number = 0;
  Epoch epoch{0};
  friend bool operator==(const SeenBeforeRestore&, const SeenBeforeRestore&) = default;
};
std::string to_text(const SeenBeforeRestore& lost);
/// Throws RegisterError if the item is not such a mark.
SeenBeforeRestore lost_in(const Item& mark);

/// Continues from what etcd has: adds a view with an empty roster, above all lost views and epochs.
/// Before that, calls `waits` with the lease duration and waits that long, so that no peer holds a
/// lock any more. Returns false if there was nothing to accept. Throws RegisterError.
bool accept_restored(const EtcdRegisterOptions& options,
                     const std::function<void(Duration)>& waits);

}  // namespace conch::etcd
