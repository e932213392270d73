/* Calls in a wrong order ([Hernane 2015, listing 1]): a process that makes them
 * loses its place in the queue, and blocks no other process.
 *
 *   listing1 disorder TIMES      the listing, again and again
 *   listing1 order TIMES         the correct order: locks, counts and unlocks
 *
 *   cc listing1.c $(pkg-config --cflags --libs dho) -o listing1
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "must.h"

static char const* const A = "A";

static void out_of_order(DHO_t* handle) {
  double const T1 = 1, T2 = 1;
  MUST(dho_create(handle, A));
  MUST(dho_ew_request(handle));
  pause_ms(T1);
  MUST(dho_ew_request(handle)); /* The previous request is dropped. */
  pause_ms(T2);
  MUST(dho_ew_release(handle)); /* Nothing was acquired: this drops the request. */
  MUST(dho_ew_release(handle)); /* Ignored. */
  MUST(dho_create(handle, A));  /* Ignored: it is valid. */
  if (dho_test(handle) != DHO_VALID) exit(1);
}

static void in_order(DHO_t* handle) {
  MUST(dho_create(handle, A)); /* Ignored, except the first time. */
  MUST(dho_ew_request(handle));
  MUST(dho_ew_acquire(handle));
  pause_ms(0.1);
  MUST(dho_ew_release(handle));
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: listing1 disorder|order TIMES\n");
    return 2;
  }
  DHO_t handle = DHO_INITIALIZER;
  double begin = now_ms();
  int times = atoi(argv[2]);
  for (int i = 0; i < times; ++i) {
    if (strcmp(argv[1], "order") == 0)
      in_order(&handle);
    else
      out_of_order(&handle);
  }
  MUST(dho_destroy(&handle));
  MUST(dho_destroy(&handle)); /* Ignored. */
  MUST(dho_ew_release(&handle));
  printf("%s: %d times in %.0f ms\n", argv[1], times, now_ms() - begin);
}
