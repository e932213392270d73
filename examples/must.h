/* Ends the program at an error, with the library's text for it. */
#pragma once

#include <dho.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MUST(call)                                              \
  do {                                                          \
    int error_ = (call);                                        \
    if (error_ != 0) {                                          \
      fprintf(stderr, "%s: %s\n", #call, dho_strerror(error_)); \
      exit(1);                                                  \
    }                                                           \
  } while (0)

static inline void pause_ms(double ms) {
  struct timespec time = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000L};
  nanosleep(&time, NULL);
}

static inline double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}
