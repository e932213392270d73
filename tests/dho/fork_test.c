/* Tests a child that is forked while there are handles: it has none of them, ends at once, and may
   create its own; its parent does not notice. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>

#include "processes.h"

#ifdef __SANITIZE_ADDRESS__
/* Memory that only the parent's threads point to would be reported as a leak of the child. */
char const* __asan_default_options(void);
char const* __asan_default_options(void) { return "detect_leaks=0"; }
#endif

static DHO_t held = DHO_INITIALIZER;
static atomic_bool over;

static void* work(void* unused) {
  (void)unused;
  DHO_t busy = DHO_INITIALIZER;
  OK(dho_create(&busy, "busy"));
  while (!over) {
    OK(dho_ew_request(&busy));
    OK(dho_ew_acquire(&busy));
    OK(dho_ew_release(&busy));
  }
  OK(dho_destroy(&busy));
  return NULL;
}

static int child(processes* both) {
  (void)both;
  alarm(30);
  CHECK(dho_test(&held) == DHO_INVALID);
  EXPECT(dho_ew_acquire(&held), EINVAL);
  OK(dho_ew_release(&held));
  OK(dho_destroy(&held));
#ifndef __SANITIZE_THREAD__ /* TSan does not support threads of a child. */
  DHO_t own = DHO_INITIALIZER;
  OK(dho_create(&own, "held"));
  EXPECT(dho_ew_tryacquire(&own), EAGAIN);
  OK(dho_destroy(&own));
  DHO_t other = DHO_INITIALIZER;
  OK(dho_create(&other, "other"));
  OK(dho_ew_request(&other));
  OK(dho_ew_acquire(&other));
#endif
  return 0; /* exit() */
}

int main(void) {
  OK(dho_create(&held, "held"));
  OK(dho_ew_request(&held));
  OK(dho_ew_acquire(&held));
  pthread_t worker;
  CHECK(pthread_create(&worker, NULL, work, NULL) == 0);
  uint64_t fence = dho_fence(&held);
  for (int i = 0; i < 5; ++i) {
    processes both;
    start(&both, child);
    finish(&both);
  }
  CHECK(dho_test(&held) == DHO_LOCKED && dho_fence(&held) == fence);
  over = 1;
  CHECK(pthread_join(worker, NULL) == 0);
  OK(dho_ew_release(&held));
  OK(dho_destroy(&held));
}
