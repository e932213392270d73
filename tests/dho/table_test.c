/* Tests every cell of the table in docs/data.md that a single process can reach: each call in each
   state. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { STATES = 6 };
static dho_state const states[STATES] = {DHO_INVALID, DHO_VALID,   DHO_REQ,
                                         DHO_GRANT,   DHO_BLOCKED, DHO_LOCKED};

/* Holds the lock whenever the handle under test must not have it. */
static DHO_t other = DHO_INITIALIZER;
static pthread_t waiter;

static void* wait_in_acquire(void* handle) { return (void*)(intptr_t)dho_ew_acquire(handle); }

static void take_away(void) {
  OK(dho_ew_request(&other));
  OK(dho_ew_acquire(&other));
}

/* Brings a handle into this state. */
static void bring(DHO_t* handle, dho_state state) {
  if (state == DHO_INVALID) return;
  OK(dho_create(handle, "table"));
  if (state == DHO_REQ || state == DHO_BLOCKED) take_away();
  if (state != DHO_VALID) OK(dho_ew_request(handle));
  if (state == DHO_GRANT) await_state(handle, DHO_GRANT);
  if (state == DHO_LOCKED) OK(dho_ew_acquire(handle));
  if (state == DHO_BLOCKED) CHECK(pthread_create(&waiter, NULL, wait_in_acquire, handle) == 0);
  await_state(handle, state);
}

/* Checks the result of the waiting thread, if the call has ended its wait. */
static void end(DHO_t* handle, dho_state before, dho_state after) {
  if (before == DHO_BLOCKED && after == DHO_BLOCKED) OK(dho_cancel(handle));
  OK(dho_ew_release(&other));
  if (before == DHO_BLOCKED) {
    void* told = NULL;
    CHECK(pthread_join(waiter, &told) == 0);
    EXPECT((int)(intptr_t)told, ECANCELED);
  }
  OK(dho_destroy(handle));
  CHECK(dho_test(handle) == DHO_INVALID);
}

static int create(DHO_t* handle) { return dho_create(handle, "table"); }
static int create_other_name(DHO_t* handle) { return dho_create(handle, "another"); }
static int create_bad_name(DHO_t* handle) { return dho_create(handle, ""); }
static int create_other_group(DHO_t* handle) {
  dho_options options = {.group = "elsewhere"};
  return dho_create_with(handle, "table", &options);
}
static int test(DHO_t* handle) { return (int)dho_test(handle); }
static int acquire_at_once(DHO_t* handle) {
  struct timespec past = {0, 0};
  return dho_timedacquire(handle, &past);
}
static int resize(DHO_t* handle) { return dho_resize(handle, 10); }
static int has_map(DHO_t* handle) { return dho_map(handle, NULL) != NULL; }
static int has_fence(DHO_t* handle) { return dho_fence(handle) != 0; }
static int progress(DHO_t* handle) { return dho_progress(handle, NULL, NULL); }
static int duplicate_of(DHO_t* handle) {
  DHO_t part = DHO_INITIALIZER;
  int error = dho_duplicate(&part, handle, 0, 1);
  OK(dho_destroy(&part));
  return error;
}
static int duplicate_into(DHO_t* handle) { return dho_duplicate(handle, &other, 0, 1); }

/* The result of a call, and the state after it. */
typedef struct cell {
  int answer;
  int after;
} cell;
enum { INV = DHO_INVALID, VAL = DHO_VALID, REQ = DHO_REQ, GRA = DHO_GRANT, BLO = DHO_BLOCKED };
enum { LOC = DHO_LOCKED };

typedef struct row {
  char const* call;
  int (*run)(DHO_t*);
  cell cells[STATES];
} row;

static row const rows[] = {
    /* invalid, valid, req, grant, blocked, locked */
    {"create", create, {{0, VAL}, {0, VAL}, {0, VAL}, {0, VAL}, {EBUSY, BLO}, {EBUSY, LOC}}},
    {"create by another name",
     create_other_name,
     {{0, VAL}, {EBUSY, VAL}, {EBUSY, REQ}, {EBUSY, GRA}, {EBUSY, BLO}, {EBUSY, LOC}}},
    {"create in another group",
     create_other_group,
     {{0, VAL}, {EBUSY, VAL}, {EBUSY, REQ}, {EBUSY, GRA}, {EBUSY, BLO}, {EBUSY, LOC}}},
    {"create by a bad name",
     create_bad_name,
     {{EINVAL, INV}, {EINVAL, VAL}, {EINVAL, REQ}, {EINVAL, GRA}, {EINVAL, BLO}, {EINVAL, LOC}}},
    {"ew_request",
     dho_ew_request,
     {{EINVAL, INV}, {0, GRA}, {0, REQ}, {0, GRA}, {EBUSY, BLO}, {EBUSY, LOC}}},
    {"ir_request",
     dho_ir_request,
     {{EINVAL, INV}, {0, GRA}, {0, REQ}, {0, GRA}, {EBUSY, BLO}, {EBUSY, LOC}}},
    {"test", test, {{INV, INV}, {VAL, VAL}, {REQ, REQ}, {GRA, GRA}, {BLO, BLO}, {LOC, LOC}}},
    {"ew_acquire",
     dho_ew_acquire,
     {{EINVAL, INV}, {DHO_ENOTREQ, VAL}, {-1, REQ}, {0, LOC}, {EBUSY, BLO}, {0, LOC}}},
    {"ir_acquire",
     dho_ir_acquire,
     {{EINVAL, INV},
      {DHO_ENOTREQ, VAL},
      {EINVAL, REQ},
      {EINVAL, GRA},
      {EINVAL, BLO},
      {EINVAL, LOC}}},
    {"timedacquire in the past",
     acquire_at_once,
     {{EINVAL, INV}, {DHO_ENOTREQ, VAL}, {ETIMEDOUT, REQ}, {0, LOC}, {EBUSY, BLO}, {0, LOC}}},
    {"ew_tryacquire",
     dho_ew_tryacquire,
     {{EINVAL, INV}, {0, LOC}, {EAGAIN, REQ}, {0, LOC}, {EBUSY, BLO}, {0, LOC}}},
    {"ir_tryacquire",
     dho_ir_tryacquire,
     {{EINVAL, INV}, {0, LOC}, {EINVAL, REQ}, {EINVAL, GRA}, {EINVAL, BLO}, {EINVAL, LOC}}},
    {"ew_release", dho_ew_release, {{0, INV}, {0, VAL}, {0, VAL}, {0, VAL}, {0, VAL}, {0, VAL}}},
    {"ir_release",
     dho_ir_release,
     {{0, INV}, {0, VAL}, {EINVAL, REQ}, {EINVAL, GRA}, {EINVAL, BLO}, {EINVAL, LOC}}},
    {"cancel", dho_cancel, {{0, INV}, {0, VAL}, {0, VAL}, {0, VAL}, {0, VAL}, {EBUSY, LOC}}},
    {"destroy", dho_destroy, {{0, INV}, {0, INV}, {0, INV}, {0, INV}, {0, INV}, {0, INV}}},
    {"resize",
     resize,
     {{EINVAL, INV}, {EPERM, VAL}, {EPERM, REQ}, {EPERM, GRA}, {EPERM, BLO}, {0, LOC}}},
    {"map", has_map, {{0, INV}, {0, VAL}, {0, REQ}, {0, GRA}, {0, BLO}, {1, LOC}}},
    {"fence", has_fence, {{0, INV}, {0, VAL}, {0, REQ}, {1, GRA}, {0, BLO}, {1, LOC}}},
    {"progress", progress, {{EINVAL, INV}, {0, VAL}, {0, REQ}, {0, GRA}, {0, BLO}, {0, LOC}}},
    {"duplicate of",
     duplicate_of,
     {{EINVAL, INV}, {0, VAL}, {0, REQ}, {0, GRA}, {0, BLO}, {0, LOC}}},
    {"duplicate into",
     duplicate_into,
     {{0, VAL}, {EBUSY, VAL}, {EBUSY, REQ}, {EBUSY, GRA}, {EBUSY, BLO}, {EBUSY, LOC}}},
};

static void check_cell(row const* row, int column) {
  cell wanted = row->cells[column];
  if (wanted.answer < 0) return; /* It would wait: see check_waiting. */
  DHO_t handle = DHO_INITIALIZER;
  bring(&handle, states[column]);
  int answer = row->run(&handle);
  if (answer != wanted.answer) {
    fprintf(stderr, "%s in %s answers %d (%s), not %d\n", row->call, state_word(states[column]),
            answer, dho_strerror(answer), wanted.answer);
    exit(1);
  }
  await_state(&handle, (dho_state)wanted.after); /* Grants take a moment. */
  end(&handle, states[column], (dho_state)wanted.after);
}

/* Checks the only call that waits: it returns when the other handle has released. */
static void check_waiting(void) {
  DHO_t handle = DHO_INITIALIZER;
  bring(&handle, DHO_BLOCKED);
  OK(dho_ew_release(&other));
  void* told = NULL;
  CHECK(pthread_join(waiter, &told) == 0);
  OK((int)(intptr_t)told);
  CHECK(dho_test(&handle) == DHO_LOCKED);
  OK(dho_destroy(&handle));
}

int main(void) {
  OK(dho_create(&other, "table"));
  take_away();
  OK(dho_resize(&other, 8));
  OK(dho_ew_release(&other));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    for (int column = 0; column < STATES; ++column) check_cell(&rows[i], column);
  check_waiting();
  OK(dho_destroy(&other));
  puts("every cell as the table has it");
}
