// How libdho_mpi has its group joined. Not for users, and not installed: dho_mpi.h is.
#pragma once

#include <cstddef>

/// Texts may be empty.
struct dho_mpi_group {
  const char* name;
  const char* state_directory;
  const char* listen;
  /// If it listens: what this machine is called by the others.
  const char* host;
  const char* join;
};

extern "C" {
#pragma GCC visibility push(default)

/// Joins; from here on it is the group of all who name none. The address is where the others
/// find it, if it listens.
int dho_mpi_attach(const dho_mpi_group* group, char* address, std::size_t address_size);
/// EBUSY if there are handles; otherwise 0.
int dho_mpi_busy(const char* name);
/// Leaves, if it has joined.
int dho_mpi_detach(const char* name);

#pragma GCC visibility pop
}
