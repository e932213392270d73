/* Tests a holder that slept for longer than its lease: it has lost the lock, and every call says
   so. */
#define _POSIX_C_SOURCE 200809L
#include "processes.h"

static int sleeper(processes* both) {
  DHO_t handle = DHO_INITIALIZER;
  OK(dho_create(&handle, "nap"));
  OK(dho_ew_request(&handle));
  OK(dho_ew_acquire(&handle));
  tell_parent(both);
  hear_parent(both); /* The parent stops it here. */
  await_state(&handle, DHO_LOST);
  struct timespec past = {0, 0};
  EXPECT(dho_ew_request(&handle), DHO_EPEERLOST);
  EXPECT(dho_ir_request(&handle), DHO_EPEERLOST);
  EXPECT(dho_ew_acquire(&handle), DHO_EPEERLOST);
  EXPECT(dho_ir_acquire(&handle), DHO_EPEERLOST);
  EXPECT(dho_timedacquire(&handle, &past), DHO_EPEERLOST);
  EXPECT(dho_ew_release(&handle), DHO_EPEERLOST);
  EXPECT(dho_ir_release(&handle), DHO_EPEERLOST);
  EXPECT(dho_cancel(&handle), DHO_EPEERLOST);
  EXPECT(dho_resize(&handle, 1), DHO_EPEERLOST);
  CHECK(dho_map(&handle, NULL) == NULL);
  CHECK(dho_test(&handle) == DHO_LOST);

  OK(dho_create(&handle, "nap"));
  CHECK(dho_test(&handle) == DHO_VALID);
  tell_parent(both);
  OK(dho_ew_request(&handle));
  OK(dho_ew_acquire(&handle));
  OK(dho_destroy(&handle));
  return 0;
}

int main(void) {
  setenv("CONCH_LEASE_MS", "500", 1);
  processes both;
  start(&both, sleeper);
  DHO_t handle = DHO_INITIALIZER;
  OK(dho_create(&handle, "nap"));
  hear_child(&both);
  OK(dho_ew_request(&handle));
  CHECK(kill(both.child, SIGSTOP) == 0);
  int error = dho_ew_acquire(&handle); /* To others it died while writing. */
  CHECK(error == 0 || error == DHO_ETORN);
  if (error == DHO_ETORN) OK(dho_ew_acquire(&handle));
  CHECK(kill(both.child, SIGCONT) == 0);
  tell_child(&both);
  hear_child(&both);
  OK(dho_ew_release(&handle));
  finish(&both);
  OK(dho_destroy(&handle));
}
