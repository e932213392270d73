/* A ring of ranks: an empty MPI message says whose turn it is, and the block of data comes with its
 * lock.
 *
 *   mpirun -n 4 mpi_ring 25 1048576      25 rounds, a block of 1 MiB
 *
 *   mpicc mpi_ring.c $(pkg-config --cflags --libs dho_mpi) -o mpi_ring
 */
#define _POSIX_C_SOURCE 200809L
#include <dho_mpi.h>

#include "must.h"

static void take_turn(DHO_t* block, size_t bytes, long turn) {
  MUST(dho_ew_request(block));
  MUST(dho_ew_acquire(block));
  if (turn == 0) MUST(dho_resize(block, bytes));
  size_t size = 0;
  long* numbers = dho_map(block, &size);
  for (size_t i = 0; i < size / sizeof *numbers; ++i) {
    if (numbers[i] != turn * (long)i) {
      fprintf(stderr, "turn %ld: wrong at %zu\n", turn, i);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    numbers[i] += (long)i;
  }
  MUST(dho_ew_release(block));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MUST(dho_init_mpi(MPI_COMM_WORLD));
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int rounds = argc > 1 ? atoi(argv[1]) : 25;
  size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 1 << 20;

  DHO_t block = DHO_INITIALIZER;
  MUST(dho_create(&block, "block"));
  double begin = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    if (rank > 0 || round > 0)
      MPI_Recv(NULL, 0, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take_turn(&block, bytes, (long)round * size + rank);
    if (rank + 1 < size || round + 1 < rounds)
      MPI_Send(NULL, 0, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD);
  }
  if (rank + 1 == size)
    printf("%d turns of %d ranks with %zu bytes: all right, %.3f ms each\n", rounds * size, size,
           bytes, 1e3 * (MPI_Wtime() - begin) / (rounds * size));
  MUST(dho_destroy(&block));
  MUST(dho_finalize_mpi());
  MPI_Finalize();
}
