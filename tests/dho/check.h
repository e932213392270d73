/* Macros and functions for the tests of the C interface. A check that fails prints what it saw and
   ends the program. */
#pragma once

#include <dho.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* Expects that a call returns this error number. */
#define EXPECT(call, wanted)                                                                  \
  do {                                                                                        \
    int got_ = (call);                                                                        \
    if (got_ != (wanted)) {                                                                   \
      fprintf(stderr, "%s:%d: %s answers %d (%s), not %d\n", __FILE__, __LINE__, #call, got_, \
              dho_strerror(got_), (wanted));                                                  \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)
#define OK(call) EXPECT(call, 0)

static inline char const* state_word(dho_state state) {
  static char const* const words[] = {"invalid", "valid",  "req",    "grant", "blocked",
                                      "fetch",   "locked", "unlock", "lost"};
  return words[state];
}

static inline struct timespec in_ms(long ms) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += ms / 1000;
  time.tv_nsec += ms % 1000 * 1000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  return time;
}

/* Polls, because no call waits for a state other than locked. */
static inline void await_state(DHO_t* handle, dho_state wanted) {
  struct timespec end = in_ms(20000);
  for (struct timespec now = in_ms(0); dho_test(handle) != wanted; now = in_ms(0)) {
    if (now.tv_sec > end.tv_sec) {
      fprintf(stderr, "still %s, not %s\n", state_word(dho_test(handle)), state_word(wanted));
      exit(1);
    }
    sched_yield();
  }
}
