/* Tests the column of the table that needs another process and a transfer that takes a while:
   fetch, with no thread waiting (prefetch) and with one. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>

#include "processes.h"

enum { BYTES = 128 << 20, ROUNDS = 40 };

/* Writes all data anew whenever it is told to, so that the parent has none of them. */
static int writer(processes* both) {
  DHO_t block = DHO_INITIALIZER;
  OK(dho_create(&block, "block"));
  for (;;) {
    char order = hear(both->ours);
    if (order == 'e') break;
    OK(dho_ew_request(&block));
    OK(dho_ew_acquire(&block));
    OK(dho_resize(&block, BYTES));
    memset(dho_map(&block, NULL), order, BYTES);
    OK(dho_ew_release(&block));
    tell_parent(both);
  }
  OK(dho_destroy(&block));
  return 0;
}

static processes both;
static DHO_t handle = DHO_INITIALIZER;

/* Returns when the data are on their way, or 0 if they have arrived already. */
static int bring(void) {
  dho_options options = {.prefetch = 1};
  OK(dho_create_with(&handle, "block", &options));
  say(both.ours, 'w');
  hear_child(&both);
  OK(dho_ew_request(&handle));
  for (;;) {
    dho_state state = dho_test(&handle);
    if (state == DHO_FETCH) return 1;
    CHECK(state == DHO_REQ || state == DHO_GRANT);
    size_t moved = 0, total = 0;
    OK(dho_progress(&handle, &moved, &total));
    if (state == DHO_GRANT && total == BYTES && moved == total) return 0;
  }
}

static void* wait_in_acquire(void* unused) {
  (void)unused;
  return (void*)(intptr_t)dho_ew_acquire(&handle);
}

static void expect_all(char byte) {
  size_t size = 0;
  char const* bytes = dho_map(&handle, &size);
  CHECK(size == BYTES);
  CHECK(bytes[0] == byte && memcmp(bytes, bytes + 1, size - 1) == 0);
}

static int is_fetching(void) { return dho_test(&handle) == DHO_FETCH; }

/* Tries the calls that change nothing and those that end a fetch. True if all met a fetch. */
static int try_with_nobody_waiting(int round) {
  struct timespec past = {0, 0};
  CHECK(dho_map(&handle, NULL) == NULL);
  CHECK(dho_fence(&handle) != 0);
  EXPECT(dho_resize(&handle, 1), EPERM);
  int error = dho_timedacquire(&handle, &past);
  CHECK(error == 0 || error == ETIMEDOUT);
  int seen = error == ETIMEDOUT && is_fetching();
  if (error == 0) return 0;
  switch (round % 5) {
    case 0:
      OK(dho_ew_acquire(&handle));
      expect_all('w');
      OK(dho_ew_release(&handle));
      break;
    case 1: OK(dho_ew_release(&handle)); break;
    case 2: OK(dho_cancel(&handle)); break;
    case 3: OK(dho_create(&handle, "block")); break;
    default:
      OK(dho_ew_request(&handle));
      OK(dho_ew_acquire(&handle));
      expect_all('w');
      OK(dho_ew_release(&handle));
  }
  CHECK(dho_test(&handle) == DHO_VALID);
  return seen;
}

static int try_with_a_waiter(int round) {
  pthread_t waiter;
  CHECK(pthread_create(&waiter, NULL, wait_in_acquire, NULL) == 0);
  /* Once the thread waits, a second one is refused. */
  struct timespec past = {0, 0};
  int error = dho_timedacquire(&handle, &past);
  while (error == ETIMEDOUT) error = dho_timedacquire(&handle, &past);
  int seen = error == EBUSY && is_fetching();
  if (seen && is_fetching()) {
    int busy = dho_ew_request(&handle);
    CHECK(busy == EBUSY);
  }
  if (round % 2 == 0) OK(dho_ew_release(&handle));
  void* told = NULL;
  CHECK(pthread_join(waiter, &told) == 0);
  error = (int)(intptr_t)told;
  CHECK(error == 0 || (round % 2 == 0 && (error == ECANCELED || error == DHO_ENOTREQ)));
  if (error == 0 && dho_test(&handle) == DHO_LOCKED) expect_all('w');
  return seen;
}

int main(void) {
  setenv("CONCH_LISTEN", "127.0.0.1:0", 1);
  setenv("CONCH_TCP_ONLY", "1", 1);
  start(&both, writer);
  int alone = 0, waiting = 0;
  for (int round = 0; round < ROUNDS && (alone < 10 || waiting < 10); ++round) {
    if (bring()) alone += try_with_nobody_waiting(round);
    OK(dho_destroy(&handle));
    if (bring()) waiting += try_with_a_waiter(round);
    OK(dho_destroy(&handle));
  }
  printf("in fetch with nobody waiting %d times, with a waiter %d times\n", alone, waiting);
  CHECK(alone > 0 && waiting > 0);
  say(both.ours, 'e');
  finish(&both);
}
