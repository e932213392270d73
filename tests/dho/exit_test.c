/* Tests a program that ends without destroying its handles: it leaves the group. Nothing hangs
   although a thread waits, and its data are with the other peers. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "processes.h"

static DHO_t wanted = DHO_INITIALIZER;

static void* wait_for_ever(void* unused) {
  (void)unused;
  (void)dho_ew_acquire(&wanted);
  return NULL;
}

static int child(processes* both) {
  DHO_t gift = DHO_INITIALIZER;
  OK(dho_create(&gift, "gift"));
  OK(dho_ew_request(&gift));
  OK(dho_ew_acquire(&gift));
  OK(dho_resize(&gift, sizeof(int)));
  *(int*)dho_map(&gift, NULL) = 42;
  OK(dho_ew_release(&gift));

  hear_parent(both); /* The parent has the lock `wanted` now. */
  OK(dho_create(&wanted, "wanted"));
  OK(dho_ew_request(&wanted));
  pthread_t waiter;
  CHECK(pthread_create(&waiter, NULL, wait_for_ever, NULL) == 0);
  CHECK(pthread_detach(waiter) == 0);
  await_state(&wanted, DHO_BLOCKED);
  return 0; /* exit() */
}

/* A child that is forked while there are handles does not touch them when it ends. */
static void fork_and_exit(void) {
  pid_t process = fork();
  CHECK(process >= 0);
  if (process == 0) exit(0);
  int status = -1;
  CHECK(waitpid(process, &status, 0) == process && status == 0);
}

int main(void) {
  processes both;
  start(&both, child);
  OK(dho_create(&wanted, "wanted"));
  OK(dho_ew_request(&wanted));
  OK(dho_ew_acquire(&wanted));
  DHO_t gift = DHO_INITIALIZER;
  OK(dho_create(&gift, "gift"));
  tell_child(&both);
  finish(&both);
  OK(dho_ew_request(&gift));
  OK(dho_ew_acquire(&gift));
  size_t size = 0;
  int const* number = dho_map(&gift, &size);
  CHECK(size == sizeof(int) && *number == 42);
  fork_and_exit();
  CHECK(dho_test(&wanted) == DHO_LOCKED);
  OK(dho_ew_release(&wanted));
  /* This process ends with handles, too. */
}
