/* A queue of jobs without a server: a block of memory that is with the process that puts or takes.
 * Processes with even numbers put, the others take; each job is done exactly once.
 *
 *   for me in 0 1 2 3; do work_queue $me 4 500 & done      two of them put 500 jobs each
 *
 *   cc work_queue.c $(pkg-config --cflags --libs dho) -o work_queue
 */
#define _POSIX_C_SOURCE 200809L
#include "crew.h"

enum { PLACES = 16 };

typedef struct queue {
  long put;   /* jobs put so far */
  long taken; /* jobs taken so far */
  int job[PLACES];
  unsigned char done[]; /* how often each job was done */
} queue;

static DHO_t handle = DHO_INITIALIZER;

static queue* lock(void) {
  MUST(dho_ew_request(&handle));
  MUST(dho_ew_acquire(&handle));
  return dho_map(&handle, NULL);
}
static void unlock(void) { MUST(dho_ew_release(&handle)); }

/* Waits for room while others take. */
static void put(int job) {
  for (;; pause_ms(0.2)) {
    queue* queue = lock();
    int has_room = queue->put - queue->taken < PLACES;
    if (has_room) queue->job[queue->put++ % PLACES] = job;
    unlock();
    if (has_room) return;
  }
}

/* Returns -1 if there is no job now, -2 if there will be none. */
static int take(long all) {
  queue* queue = lock();
  int job = queue->taken == all ? -2 : -1;
  if (queue->taken < queue->put) job = queue->job[queue->taken++ % PLACES];
  unlock();
  return job;
}

static void do_it(int job) {
  pause_ms(0.1); /* The work, which does not keep others from the queue. */
  ++lock()->done[job];
  unlock();
}

static long do_all(long all) {
  long count = 0;
  for (int job = take(all); job != -2; job = take(all)) {
    if (job == -1) {
      pause_ms(0.2);
      continue;
    }
    do_it(job);
    ++count;
  }
  return count;
}

static long count_wrong(long all) {
  queue* queue = lock();
  long wrong = 0;
  for (long job = 0; job < all; ++job) wrong += queue->done[job] != 1;
  unlock();
  return wrong;
}

int main(int argc, char** argv) {
  crew crew = crew_join(&argc, &argv);
  int each = argc > 1 ? atoi(argv[1]) : 500;
  long all = (long)each * ((crew.size + 1) / 2);
  MUST(dho_create(&handle, "queue"));
  if (lock() == NULL) MUST(dho_resize(&handle, sizeof(queue) + (size_t)all));
  unlock();
  crew_meet(&crew);

  if (crew.me % 2 == 0)
    for (int i = 0; i < each; ++i) put(crew.me / 2 * each + i);
  else
    printf("process %d has done %ld jobs\n", crew.me, do_all(all));
  crew_meet(&crew);
  long wrong = crew.me == 0 ? count_wrong(all) : 0;
  if (crew.me == 0) printf("%ld jobs, %ld not done exactly once\n", all, wrong);
  crew_meet(&crew);
  MUST(dho_destroy(&handle));
  crew_leave(&crew);
  return wrong == 0 ? 0 : 1;
}
