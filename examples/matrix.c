/* A matrix product C = A B of processes that share no matrix but C. The columns of A and the rows
 * of B are dealt to the processes, a block at a time (block-cyclic). Each block of C is a resource:
 * the processes hand it round, and each adds what its own columns and rows contribute. While a
 * process works on one block, the next one is on its way.
 *
 *   for me in 0 1 2 3; do matrix $me 4 256 64 & done      256 x 256, in blocks of 64 x 64
 *
 *   cc matrix.c $(pkg-config --cflags --libs dho) -o matrix
 */
#define _POSIX_C_SOURCE 200809L
#include "crew.h"

static int size, block, blocks;

/* Small whole numbers: sums are exact in any order. */
static double a(int row, int column) { return (row * 7 + column * 3) % 11; }
static double b(int row, int column) { return (row * 5 + column * 2) % 13 - 6; }

static double* bytes_of(DHO_t* handle) {
  if (dho_map(handle, NULL) == NULL)
    MUST(dho_resize(handle, sizeof(double) * (size_t)block * (size_t)block));
  return dho_map(handle, NULL);
}

/* Adds the contribution of this process to the block of C that begins here. */
static void add_mine(double* c, int row0, int column0, crew const* crew) {
  for (int k0 = 0; k0 < size; k0 += block) {
    if (k0 / block % crew->size != crew->me) continue;
    for (int row = 0; row < block; ++row)
      for (int column = 0; column < block; ++column)
        for (int k = k0; k < k0 + block; ++k)
          c[row * block + column] += a(row0 + row, k) * b(k, column0 + column);
  }
}

static void create_all(DHO_t* handles) {
  char name[64];
  for (int i = 0; i < blocks * blocks; ++i) {
    snprintf(name, sizeof name, "C %d %d", i / blocks, i % blocks);
    MUST(dho_create(&handles[i], name));
  }
}

/* Each process begins at another block, so that they do not all want the same one. A block is
   released before the program waits for the next one, so no process waits for a waiting one. */
static void add_to_all(DHO_t* handles, crew const* crew) {
  int count = blocks * blocks;
  int first = count * crew->me / crew->size;
  MUST(dho_ew_request(&handles[first]));
  for (int i = 0; i < count; ++i) {
    int here = (first + i) % count;
    MUST(dho_ew_acquire(&handles[here]));
    if (i + 1 < count) MUST(dho_ew_request(&handles[(here + 1) % count]));
    add_mine(bytes_of(&handles[here]), here / blocks * block, here % blocks * block, crew);
    MUST(dho_ew_release(&handles[here]));
  }
}

static double product(int row, int column) {
  double sum = 0;
  for (int k = 0; k < size; ++k) sum += a(row, k) * b(k, column);
  return sum;
}

static long count_wrong(DHO_t* handles) {
  long wrong = 0;
  for (int i = 0; i < blocks * blocks; ++i) {
    MUST(dho_ir_request(&handles[i]));
    MUST(dho_ir_acquire(&handles[i]));
    double const* c = dho_map(&handles[i], NULL);
    for (int row = 0; row < block; ++row)
      for (int column = 0; column < block; ++column)
        wrong += c[row * block + column] !=
                 product(i / blocks * block + row, i % blocks * block + column);
    MUST(dho_ir_release(&handles[i]));
  }
  return wrong;
}

int main(int argc, char** argv) {
  crew crew = crew_join(&argc, &argv);
  size = argc > 1 ? atoi(argv[1]) : 256;
  block = argc > 2 ? atoi(argv[2]) : 64;
  blocks = size / block;
  DHO_t* handles = calloc((size_t)(blocks * blocks), sizeof *handles);
  create_all(handles);
  crew_meet(&crew);
  add_to_all(handles, &crew);
  crew_meet(&crew);
  long wrong = crew.me == 0 ? count_wrong(handles) : 0;
  if (crew.me == 0)
    printf("%d x %d in %d blocks, by %d processes: %ld wrong\n", size, size, blocks * blocks,
           crew.size, wrong);
  crew_meet(&crew);
  for (int i = 0; i < blocks * blocks; ++i) MUST(dho_destroy(&handles[i]));
  free(handles);
  crew_leave(&crew);
  return wrong == 0 ? 0 : 1;
}
