// Chooses the register that a peer uses. All functions throw Error with a sentence that says what
// to do.
#pragma once

#include <conch/peer.hpp>
#include <memory>
#include <string>
#include <vector>

#include "peer/directories.hpp"
#include "register/etcd_register.hpp"
#include "register/register.hpp"

namespace conch::peer {

/// Opens the etcd cluster that the options name, else the group's directory.
std::unique_ptr<Register> open_register(const PeerOptions& options, const std::string& group,
                                        const Directories& directories);

/// Why no register may be founded on this machine: there is none, but peers of the group run here,
/// which have lost theirs or use another. Empty if one may be founded, or exists.
std::string why_not_founded(const std::string& group, const std::string& state);

/// What the register needs to reach the cluster. Reads the password file.
EtcdRegisterOptions etcd_options(const EtcdOptions& etcd);

/// The options of `conch peer` that lead to this cluster, for starting another peer.
std::vector<std::string> words_of(const EtcdOptions& etcd);

}  // namespace conch::peer
