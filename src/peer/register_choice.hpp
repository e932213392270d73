// Which register a peer asks itself. Everything here throws Error with a sentence that says what to
// do.
#pragma once

#include <conch/peer.hpp>
#include <memory>
#include <string>
#include <vector>

#include "peer/directories.hpp"
#include "register/etcd_register.hpp"
#include "register/register.hpp"

namespace conch::peer {

/// The directory of the group, or the etcd cluster that the options name.
std::unique_ptr<Register> open_register(const PeerOptions& options, const std::string& group,
                                        const Directories& directories);

/// Why no register may be founded on this machine: there is none, but peers of the group run here,
/// who have lost theirs or asked another. Empty: it may, or there is one.
std::string why_not_founded(const std::string& group, const std::string& state);

/// What the register needs to know to reach the cluster. Reads the password.
EtcdRegisterOptions etcd_options(const EtcdOptions& etcd);

/// The words that lead there, for who starts another peer.
std::vector<std::string> words_of(const EtcdOptions& etcd);

}  // namespace conch::peer
