/* Tests many threads at once. Some share a handle and make random calls; the others have one each
   and count in memory that they share. Nothing hangs, and no count is lost. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { RANDOM_THREADS = 4, COUNTING_THREADS = 3 };
static DHO_t shared = DHO_INITIALIZER;
static atomic_bool over;
static atomic_long acquired_at_random;
static atomic_long counted;

/* Expects a result that the table has. */
static void expect_known(int error) {
  CHECK(error == 0 || error == EINVAL || error == EBUSY || error == DHO_ENOTREQ || error == EPERM ||
        error == ETIMEDOUT || error == ECANCELED);
}

static int call_something(unsigned choice) {
  struct timespec soon = in_ms(2);
  DHO_t part = DHO_INITIALIZER;
  int error = 0;
  switch (choice % 16) {
    case 0: return dho_destroy(&shared);
    case 1: return dho_create(&shared, "counter");
    case 2: return dho_cancel(&shared);
    case 3: return dho_resize(&shared, sizeof(long));
    case 4: return dho_ir_request(&shared);
    case 5: return dho_ir_release(&shared);
    case 6: return dho_progress(&shared, NULL, NULL);
    case 7:
      error = dho_duplicate(&part, &shared, 0, 4);
      expect_known(dho_destroy(&part));
      return error;
    case 8:
    case 9: return dho_ew_request(&shared);
    case 10:
    case 11: return dho_timedacquire(&shared, &soon);
    case 12:
    case 13: return dho_ew_acquire(&shared);
    default: return dho_ew_release(&shared);
  }
}

static void* call_at_random(void* seed) {
  unsigned dice = (unsigned)(uintptr_t)seed;
  while (!over) {
    dice = dice * 1103515245u + 12345u;
    unsigned choice = dice >> 16;
    int error = call_something(choice);
    expect_known(error);
    if (error == 0 && choice % 16 >= 10 && choice % 16 <= 13) ++acquired_at_random;
    (void)dho_test(&shared);
    (void)dho_fence(&shared);
    (void)dho_map(&shared, NULL);
  }
  return NULL;
}

static void* count(void* unused) {
  (void)unused;
  DHO_t mine = DHO_INITIALIZER;
  OK(dho_create(&mine, "counter"));
  while (!over) {
    OK(dho_ew_request(&mine));
    OK(dho_ew_acquire(&mine));
    long* number = dho_map(&mine, NULL);
    CHECK(number != NULL);
    ++*number;
    ++counted;
    OK(dho_ew_release(&mine));
  }
  OK(dho_destroy(&mine));
  return NULL;
}

int main(void) {
  DHO_t handle = DHO_INITIALIZER;
  OK(dho_create(&handle, "counter"));
  OK(dho_ew_request(&handle));
  OK(dho_ew_acquire(&handle));
  OK(dho_resize(&handle, sizeof(long)));
  OK(dho_ew_release(&handle));

  pthread_t threads[RANDOM_THREADS + COUNTING_THREADS];
  for (uintptr_t i = 0; i < RANDOM_THREADS + COUNTING_THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, i < RANDOM_THREADS ? call_at_random : count,
                         (void*)(i + 1)) == 0);
  struct timespec second = {1, 0};
  nanosleep(&second, NULL);
  over = 1;
  /* A thread may wait in the acquire of the shared handle, which never returns by itself: destroy
     ends that wait. A thread that creates the handle again sees that the test is over. */
  for (int i = 0; i < RANDOM_THREADS + COUNTING_THREADS; ++i) {
    OK(dho_destroy(&shared));
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
  OK(dho_destroy(&shared));

  OK(dho_ir_request(&handle));
  OK(dho_ir_acquire(&handle));
  long* number = dho_map(&handle, NULL);
  printf("%ld counted, %ld acquired at random\n", *number, acquired_at_random);
  CHECK(*number == counted);
  CHECK(*number > 0 && acquired_at_random > 0);
  OK(dho_destroy(&handle));
}
