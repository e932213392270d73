/* Data Handover among the ranks of an MPI program: they need no address to find each other.
 *
 *   MPI_Init(&argc, &argv);
 *   dho_init_mpi(MPI_COMM_WORLD);
 *   ...                                  handles, as in dho.h
 *   dho_finalize_mpi();
 *   MPI_Finalize();
 *
 * Both functions are collective, and are called by one thread of each rank. They return 0 or an
 * error number, as those of dho.h do; if one rank fails, none is in the group.
 *
 * Link with libdho_mpi and libdho (pkg-config dho_mpi); compile with mpicc.
 */
#pragma once

#include <dho.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__ /* what the library exports, however it is compiled */
#pragma GCC visibility push(default)
#endif

/* Forms a group of the communicator's processes, with a name of its own. Until dho_finalize_mpi it
   is the group of all handles that name none. EBUSY if there is one already. */
int dho_init_mpi(MPI_Comm comm);
/* Leaves the group and removes what it made. EBUSY, in all ranks, if one has handles. */
int dho_finalize_mpi(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
