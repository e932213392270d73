/* How libdho_mpi has its group joined. Not for users, and not installed: dho_mpi.h is. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Texts may be empty. */
typedef struct dho_mpi_group {
  char const* name;
  char const* runtime_directory;
  char const* state_directory;
  char const* listen;
  char const* join;
} dho_mpi_group;

/* Joins; from here on it is the group of all who name none. The address is where the peer listens,
   if it does. */
int dho_mpi_attach(dho_mpi_group const* group, char* address, size_t address_size);
/* EBUSY if there are handles; otherwise 0. */
int dho_mpi_busy(char const* name);
/* Leaves, if it has joined. */
int dho_mpi_detach(char const* name);

#ifdef __cplusplus
}
#endif
