/* Data Handover among the ranks of an MPI program, which find each other by MPI, without addresses.
 *
 *   MPI_Init(&argc, &argv);
 *   dho_init_mpi(MPI_COMM_WORLD);
 *   ...                                  handles, as in dho.h
 *   dho_finalize_mpi();
 *   MPI_Finalize();
 *
 * Both functions are collective; one thread of each rank calls them. They return 0 or an error
 * number, as those of dho.h do. If one rank fails, no rank is in the group.
 *
 * Link with libdho_mpi and libdho (pkg-config dho_mpi); compile with mpicc.
 */
#pragma once

#include <dho.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__ /* exported even if compiled with hidden visibility */
#pragma GCC visibility push(default)
#endif

/* Forms a group of the communicator's processes, under a unique name. Until dho_finalize_mpi it is
   the default group of handles. EBUSY if there is such a group already. */
int dho_init_mpi(MPI_Comm comm);
/* Leaves the group and removes its files. EBUSY in all ranks if one of them still has handles. */
int dho_finalize_mpi(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
