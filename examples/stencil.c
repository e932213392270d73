/* Heat in a rod that is cut into pieces, one for each process. A piece is a resource. Neighbours
 * read only its ends, through handles for those parts (dho_duplicate), so the rest does not travel.
 *
 *   for me in 0 1 2 3; do stencil $me 4 1000 100 & done      1000 cells, 100 steps
 *
 *   cc stencil.c $(pkg-config --cflags --libs dho) -o stencil
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "crew.h"

/* The end of a piece at two steps: a neighbour may be one step behind, but never two. */
typedef struct edge {
  long step;
  double value[2];
} edge;

/* A piece: the edges, then the cells. */
enum { LEFT, RIGHT, EDGES };
static size_t piece_size(int cells) {
  return EDGES * sizeof(edge) + (size_t)cells * sizeof(double);
}
static double* cells_of(edge* piece) { return (double*)(piece + EDGES); }

static double begin_with(int cell) { return cell % 10 == 0 ? 100 : 0; }
static double next(double left, double here, double right) {
  return here + 0.25 * (left - 2 * here + right);
}

static edge* lock(DHO_t* piece, int cells) {
  MUST(dho_ew_request(piece));
  MUST(dho_ew_acquire(piece));
  if (dho_map(piece, NULL) == NULL) MUST(dho_resize(piece, piece_size(cells)));
  return dho_map(piece, NULL);
}

static void publish(edge* piece, int cells, long step) {
  for (int side = LEFT; side < EDGES; ++side) {
    piece[side].step = step;
    piece[side].value[step % 2] = cells_of(piece)[side == LEFT ? 0 : cells - 1];
  }
}

/* Returns the cell beyond the end of my piece, when the neighbour has reached this step. */
static double beyond(DHO_t* end, long step) {
  for (;; pause_ms(0.1)) {
    MUST(dho_ir_request(end));
    MUST(dho_ir_acquire(end));
    edge seen = *(edge const*)dho_map(end, NULL);
    MUST(dho_ir_release(end));
    if (seen.step >= step) return seen.value[step % 2];
  }
}

static void advance(double* cells, int count, double left, double right) {
  for (int i = 0; i < count; ++i) {
    double here = cells[i];
    cells[i] = next(left, here, i + 1 < count ? cells[i + 1] : right);
    left = here;
  }
}

/* Computes the whole rod in one process. */
static double* serial(int cells, int steps) {
  double* rod = calloc((size_t)cells, sizeof *rod);
  for (int i = 0; i < cells; ++i) rod[i] = begin_with(i);
  for (int step = 0; step < steps; ++step) advance(rod, cells, 0, 0);
  return rod;
}

static long differences(DHO_t* pieces, crew const* crew, int cells, int steps) {
  long wrong = 0;
  double* rod = serial(cells * crew->size, steps);
  for (int i = 0; i < crew->size; ++i) {
    MUST(dho_ir_request(&pieces[i]));
    MUST(dho_ir_acquire(&pieces[i]));
    wrong += memcmp(cells_of(dho_map(&pieces[i], NULL)), rod + i * cells,
                    (size_t)cells * sizeof *rod) != 0;
    MUST(dho_ir_release(&pieces[i]));
  }
  free(rod);
  return wrong;
}

int main(int argc, char** argv) {
  crew crew = crew_join(&argc, &argv);
  int cells = (argc > 1 ? atoi(argv[1]) : 1000) / crew.size;
  int steps = argc > 2 ? atoi(argv[2]) : 100;
  DHO_t* pieces = calloc((size_t)crew.size, sizeof *pieces);
  char name[32];
  for (int i = 0; i < crew.size; ++i) {
    snprintf(name, sizeof name, "piece %d", i);
    MUST(dho_create(&pieces[i], name));
  }
  edge* mine = lock(&pieces[crew.me], cells);
  for (int i = 0; i < cells; ++i) cells_of(mine)[i] = begin_with(crew.me * cells + i);
  publish(mine, cells, 0);
  MUST(dho_ew_release(&pieces[crew.me]));
  crew_meet(&crew);

  DHO_t left = DHO_INITIALIZER, right = DHO_INITIALIZER;
  int has_left = crew.me > 0, has_right = crew.me + 1 < crew.size;
  if (has_left)
    MUST(dho_duplicate(&left, &pieces[crew.me - 1], RIGHT * sizeof(edge), sizeof(edge)));
  if (has_right)
    MUST(dho_duplicate(&right, &pieces[crew.me + 1], LEFT * sizeof(edge), sizeof(edge)));
  for (long step = 0; step < steps; ++step) {
    double from_left = has_left ? beyond(&left, step) : 0;
    double from_right = has_right ? beyond(&right, step) : 0;
    mine = lock(&pieces[crew.me], cells);
    advance(cells_of(mine), cells, from_left, from_right);
    publish(mine, cells, step + 1);
    MUST(dho_ew_release(&pieces[crew.me]));
  }
  crew_meet(&crew);
  long wrong = crew.me == 0 ? differences(pieces, &crew, cells, steps) : 0;
  if (crew.me == 0)
    printf("%d cells, %d steps, %d processes: %ld pieces differ from those of one process\n",
           cells * crew.size, steps, crew.size, wrong);
  crew_meet(&crew);
  MUST(dho_destroy(&left));
  MUST(dho_destroy(&right));
  for (int i = 0; i < crew.size; ++i) MUST(dho_destroy(&pieces[i]));
  free(pieces);
  crew_leave(&crew);
  return wrong == 0 ? 0 : 1;
}
