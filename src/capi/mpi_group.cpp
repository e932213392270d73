#include "capi/mpi_group.hpp"

#include <algorithm>

#include "capi/environment.hpp"
#include "capi/failure.hpp"
#include "capi/groups.hpp"

namespace conch::capi {
namespace {

PeerOptions options_of(const dho_mpi_group& group) {
  PeerOptions options = options_from_environment(group.name);
  options.state_directory = group.state_directory;
  options.listen.clear();
  options.join.clear();
  if (*group.listen != '\0') {
    options.listen.emplace_back(group.listen);
    if (options.advertise.empty()) options.advertise = std::string(group.host) + ":0";
  }
  if (*group.join != '\0') options.join.emplace_back(group.join);
  // Allow TCP without TLS: the network belongs to the MPI job, and MPI itself does not encrypt.
  options.insecure = true;
  return options;
}

/// The address where others find this peer; empty if it does not listen.
std::string address_of(const Peer& peer, const dho_mpi_group& group) {
  auto listens = peer.listens();
  if (listens.empty()) return "";
  const std::string& first = listens.front();
  return group.host + first.substr(first.rfind(':'));
}

void copy(const std::string& text, char* to, std::size_t size) {
  if (text.size() >= size)
    throw Error(ErrorCode::bad_argument, "the address " + text + " is too long");
  *std::copy(text.begin(), text.end(), to) = '\0';
}

}  // namespace
}  // namespace conch::capi

using namespace conch::capi;

int dho_mpi_attach(dho_mpi_group const* group, char* address, size_t address_size) {
  return at_boundary([&] {
    auto peer = Groups::of_process().join(options_of(*group));
    copy(address_of(*peer, *group), address, address_size);
    Groups::of_process().keep(group->name, std::move(peer));
    Groups::of_process().set_default(group->name);
    return 0;
  });
}

int dho_mpi_busy(char const* name) {
  return at_boundary([&] {
    auto peer = Groups::of_process().take_back(name);
    if (!peer) return 0;
    bool busy = peer.use_count() > 1;
    Groups::of_process().keep(name, std::move(peer));
    return busy ? tell(EBUSY, "handles still exist: destroy them before dho_finalize_mpi") : 0;
  });
}

int dho_mpi_detach(char const* name) {
  return at_boundary([&] {
    Groups::of_process().take_back(name);
    Groups::of_process().set_default("");
    return 0;
  });
}
