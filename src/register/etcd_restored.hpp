// An etcd cluster that somebody has restored from a backup: views, and who holds what, would begin
// again where they were then. Who sees it leaves a mark in etcd, and nobody decides anything more
// until somebody says that this is how it is to be.
#pragma once

#include <functional>
#include <string>

#include "register/etcd_register.hpp"

namespace conch::etcd {

inline const std::string restored_text =
    "etcd was restored from a backup, or somebody removed keys of the group: it does not know what "
    "happened since, and nobody gets or keeps a lock. If this is how it is to be, say `conch "
    "doctor "
    "--accept-restored` with the options of the peers";

/// The newest view that somebody had seen before, and the newest epoch.
struct Lost {
  std::uint64_t number = 0;
  Epoch epoch{0};
  friend bool operator==(const Lost&, const Lost&) = default;
};
std::string to_text(const Lost& lost);
/// Throws RegisterError for what is no mark.
Lost lost_in(const Item& mark);

/// Goes on from what etcd has, with nobody in the group, above all views and epochs that were lost.
/// Waits for the time of a lease first, which `waits` is told, so that nobody holds anything any
/// more. False if there was nothing to accept. Throws RegisterError.
bool accept_restored(const EtcdRegisterOptions& options,
                     const std::function<void(Duration)>& waits);

}  // namespace conch::etcd
