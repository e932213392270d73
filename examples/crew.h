/* The processes of an example, which know how many they are and where to meet.
 *
 *   program ME SIZE ...          each in a shell of its own: program 0 2, program 1 2
 *   mpirun -n SIZE program ...   compiled with mpicc -DWITH_MPI and pkg-config dho_mpi
 */
#pragma once

#ifdef WITH_MPI
#include <dho_mpi.h>
#endif

#include "must.h"

typedef struct crew {
  int me;
  int size;
  long meetings;
  DHO_t door;
} crew;

/* Removes its own arguments from the command line. */
static inline crew crew_join(int* argc, char*** argv) {
  crew crew = {0, 1, 0, DHO_INITIALIZER};
#ifdef WITH_MPI
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &crew.me);
  MPI_Comm_size(MPI_COMM_WORLD, &crew.size);
  MUST(dho_init_mpi(MPI_COMM_WORLD));
#else
  if (*argc < 3) {
    fprintf(stderr, "usage: %s ME SIZE ...\n", (*argv)[0]);
    exit(2);
  }
  crew.me = atoi((*argv)[1]);
  crew.size = atoi((*argv)[2]);
  *argc -= 2;
  *argv += 2;
#endif
  MUST(dho_create(&crew.door, "door"));
  return crew;
}

/* Adds `come` to the number of arrivals at all meetings so far, and returns the sum. */
static inline long crew_count(crew* crew, int come) {
  MUST(dho_ew_request(&crew->door));
  MUST(dho_ew_acquire(&crew->door));
  if (dho_map(&crew->door, NULL) == NULL) MUST(dho_resize(&crew->door, sizeof(long)));
  long* count = dho_map(&crew->door, NULL);
  *count += come;
  long result = *count;
  MUST(dho_ew_release(&crew->door));
  return result;
}

/* Returns when all processes have called it. Data end with the last process of the group, so no
   process should leave before all have come. */
static inline void crew_meet(crew* crew) {
  long all = ++crew->meetings * crew->size;
  for (long here = crew_count(crew, 1); here < all; here = crew_count(crew, 0)) pause_ms(1);
}

static inline void crew_leave(crew* crew) {
  crew_meet(crew);
  MUST(dho_destroy(&crew->door));
#ifdef WITH_MPI
  MUST(dho_finalize_mpi());
  MPI_Finalize();
#endif
}
