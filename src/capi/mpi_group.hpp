// The functions with which libdho_mpi joins and leaves its group. Internal: only dho_mpi.h is
// installed.
#pragma once

#include <cstddef>

/// The texts may be empty, but not null.
struct dho_mpi_group {
  const char* name;
  const char* state_directory;
  const char* listen;
  /// The name under which other machines reach this one; used only if `listen` is not empty.
  const char* host;
  const char* join;
};

extern "C" {
#pragma GCC visibility push(default)

/// Joins the group and makes it the default of this process. Writes the address where others find
/// this peer; empty if it does not listen.
int dho_mpi_attach(const dho_mpi_group* group, char* address, std::size_t address_size);
/// Returns EBUSY if there are handles, else 0.
int dho_mpi_busy(const char* name);
/// Leaves the group, if it was joined.
int dho_mpi_detach(const char* name);

#pragma GCC visibility pop
}
