/* Tests that a try does not wait for another holder, of this process or another one, and leaves
   nothing behind. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "processes.h"

static int holder(processes* both) {
  DHO_t block = DHO_INITIALIZER;
  OK(dho_create(&block, "block"));
  OK(dho_ew_tryacquire(&block));
  OK(dho_resize(&block, 1 << 20));
  tell_parent(both);
  hear_parent(both); /* The parent has tried. */
  OK(dho_ew_release(&block));
  tell_parent(both);
  hear_parent(both); /* The parent has the block. */
  OK(dho_destroy(&block));
  return 0;
}

/* Tries again, because a lock that is free may take a moment to arrive. */
static void try_until_obtained(DHO_t* handle, int (*try)(DHO_t*)) {
  int error = EAGAIN;
  for (struct timespec end = in_ms(20000); error == EAGAIN;) {
    error = try(handle);
    CHECK(in_ms(0).tv_sec <= end.tv_sec);
  }
  OK(error);
  CHECK(dho_test(handle) == DHO_LOCKED);
}

static void against_another_process(void) {
  processes both;
  start(&both, holder);
  hear_child(&both);
  DHO_t block = DHO_INITIALIZER;
  OK(dho_create(&block, "block"));
  EXPECT(dho_ew_tryacquire(&block), EAGAIN);
  CHECK(dho_test(&block) == DHO_VALID);
  EXPECT(dho_ir_tryacquire(&block), EAGAIN);
  OK(dho_ew_request(&block));
  EXPECT(dho_ew_tryacquire(&block), EAGAIN);
  CHECK(dho_test(&block) == DHO_REQ); /* It keeps its place in the queue. */
  OK(dho_cancel(&block));
  tell_child(&both);
  hear_child(&both);
  try_until_obtained(&block, dho_ew_tryacquire);
  size_t size = 0;
  CHECK(dho_map(&block, &size) != NULL && size == 1 << 20);
  OK(dho_ew_release(&block));
  tell_child(&both);
  finish(&both);
  OK(dho_destroy(&block));
}

static void against_another_handle(void) {
  DHO_t one = DHO_INITIALIZER, other = DHO_INITIALIZER;
  OK(dho_create(&one, "shared"));
  OK(dho_create(&other, "shared"));
  OK(dho_ew_tryacquire(&one));
  EXPECT(dho_ew_tryacquire(&other), EAGAIN);
  OK(dho_ew_release(&one));
  try_until_obtained(&other, dho_ew_tryacquire);
  OK(dho_ew_release(&other));

  try_until_obtained(&one, dho_ir_tryacquire);
  try_until_obtained(&other, dho_ir_tryacquire); /* Readers may be inside together. */
  OK(dho_ir_release(&one));
  EXPECT(dho_ew_tryacquire(&one), EAGAIN);
  OK(dho_ir_release(&other));
  try_until_obtained(&one, dho_ew_tryacquire);
  OK(dho_destroy(&one));
  OK(dho_destroy(&other));
}

int main(void) {
  setenv("CONCH_ALGORITHM", "elmp", 1);
  against_another_process();
  against_another_handle();
}
