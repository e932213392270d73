/* Tests two processes that hand data to each other: a counter, a growing block, parts of it,
   readers. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "processes.h"

enum { ROUNDS = 500 };

static void lock(DHO_t* handle) {
  OK(dho_ew_request(handle));
  OK(dho_ew_acquire(handle));
}

static void count_rounds(DHO_t* handle) {
  uint64_t fence = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    lock(handle);
    CHECK(dho_fence(handle) > fence);
    fence = dho_fence(handle);
    size_t size = 0;
    if (dho_map(handle, &size) == NULL) OK(dho_resize(handle, sizeof(long)));
    long* number = dho_map(handle, &size);
    CHECK(number != NULL && size == sizeof(long));
    ++*number;
    OK(dho_ew_release(handle));
  }
}

/* Expects that the permissions of the mapping begin with these, such as "r-" or "rw". */
static void expect_mapped(void const* address, char const* permissions) {
  FILE* maps = fopen("/proc/self/maps", "r");
  CHECK(maps != NULL);
  char line[512];
  int found = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin = 0, end = 0;
    char has[8] = "";
    CHECK(sscanf(line, "%lx-%lx %4s", &begin, &end, has) == 3);
    if (begin > (uintptr_t)address || (uintptr_t)address >= end) continue;
    found = 1;
    CHECK(strncmp(has, permissions, 2) == 0);
  }
  fclose(maps);
  CHECK(found);
}

static int child(processes* both) {
  DHO_t counter = DHO_INITIALIZER, block = DHO_INITIALIZER, part = DHO_INITIALIZER;
  OK(dho_create(&counter, "counter"));
  hear_parent(both);
  count_rounds(&counter);

  /* After all have counted, holds the lock until the parent's timeout ends. */
  hear_parent(both);
  lock(&counter);
  tell_parent(both);
  hear_parent(both);
  OK(dho_ew_release(&counter));

  OK(dho_create(&block, "block"));
  lock(&block);
  OK(dho_resize(&block, 3 * 4096 + 5));
  memset(dho_map(&block, NULL), 'c', 100);
  OK(dho_ew_release(&block));
  tell_parent(both);
  hear_parent(both);
  OK(dho_duplicate(&part, &block, 4000, 200));
  lock(&part);
  size_t size = 0;
  char* bytes = dho_map(&part, &size);
  CHECK(size == 200 && bytes[0] == 0 && bytes[96] == 'p');
  memset(bytes, 'd', size);
  EXPECT(dho_resize(&part, 1), EINVAL); /* The part does not reach the end. */
  OK(dho_ew_release(&part));
  tell_parent(both);
  hear_parent(both);
  OK(dho_destroy(&part));
  OK(dho_destroy(&block));
  OK(dho_destroy(&counter));
  return 0;
}

static void a_counter(processes* both, DHO_t* counter) {
  OK(dho_create(counter, "counter"));
  tell_child(both);
  count_rounds(counter);
  tell_child(both);
  hear_child(both);
  struct timespec soon = in_ms(50);
  OK(dho_ir_request(counter));
  EXPECT(dho_timedacquire(counter, &soon), ETIMEDOUT);
  CHECK(dho_test(counter) == DHO_REQ);
  tell_child(both);
  struct timespec later = in_ms(20000);
  OK(dho_timedacquire(counter, &later));
  long const* number = dho_map(counter, NULL);
  printf("%ld of %d\n", *number, 2 * ROUNDS);
  CHECK(*number == 2 * ROUNDS);
  expect_mapped(number, "r-");
  EXPECT(dho_resize(counter, 1), EPERM); /* A reader must not change it. */
  OK(dho_ir_release(counter));
}

static void a_block(processes* both, DHO_t* block) {
  OK(dho_create(block, "block"));
  hear_child(both);
  lock(block);
  size_t size = 0;
  char* bytes = dho_map(block, &size);
  CHECK(size == 3 * 4096 + 5 && bytes[0] == 'c' && bytes[99] == 'c' && bytes[100] == 0);
  expect_mapped(bytes, "rw");
  OK(dho_resize(block, 5 * 4096));
  bytes = dho_map(block, &size);
  CHECK(size == 5 * 4096 && bytes[0] == 'c' && bytes[size - 1] == 0);
  memset(bytes + 4096, 'p', 4096);
  OK(dho_ew_release(block));
  tell_child(both);

  hear_child(both);
  lock(block);
  bytes = dho_map(block, &size);
  CHECK(size == 5 * 4096);
  CHECK(bytes[99] == 'c' && bytes[3999] == 0 && bytes[4000] == 'd' && bytes[4199] == 'd');
  CHECK(bytes[4200] == 'p');
  OK(dho_resize(block, 1));
  OK(dho_resize(block, 4096));
  bytes = dho_map(block, &size);
  CHECK(bytes[0] == 'c' && bytes[1] == 0); /* The bytes that were cut off are gone. */
  OK(dho_resize(block, 0));
  CHECK(dho_map(block, &size) == NULL && size == 0);
  OK(dho_ew_release(block));
  tell_child(both);
}

int main(void) {
  processes both;
  DHO_t counter = DHO_INITIALIZER, block = DHO_INITIALIZER;
  start(&both, child);
  a_counter(&both, &counter);
  a_block(&both, &block);
  OK(dho_destroy(&counter));
  OK(dho_destroy(&block));
  finish(&both);
}
