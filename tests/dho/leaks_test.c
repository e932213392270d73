/* Creates and destroys ten thousand handles, and joins and leaves the group a hundred times. Then
   as many descriptors and mappings are open as before. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <time.h>

#include "check.h"

/* A sanitizer adds mappings of its own now and then. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { MAPPINGS_SLACK = 20 };
#else
enum { MAPPINGS_SLACK = 0 };
#endif

static int descriptors(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  CHECK(folder != NULL);
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

static int mappings(void) {
  int count = 0;
  FILE* file = fopen("/proc/self/maps", "r");
  CHECK(file != NULL);
  for (int c = fgetc(file); c != EOF; c = fgetc(file)) count += c == '\n';
  fclose(file);
  return count;
}

static void cycle(int number) {
  DHO_t handle = DHO_INITIALIZER;
  OK(dho_create(&handle, "leaks"));
  if (number % 4 != 0) OK(dho_ew_request(&handle));
  if (number % 4 > 1) {
    OK(dho_ew_acquire(&handle));
    OK(dho_resize(&handle, (size_t)(number % 7) * 4096));
  }
  if (number % 4 > 2) OK(dho_ew_release(&handle));
  OK(dho_destroy(&handle));
}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void cycles(int count) {
  for (int i = 0; i < count; ++i) cycle(i);
}

int main(int argc, char** argv) {
  int count = argc > 1 ? atoi(argv[1]) : 10000;
  /* After some cycles the allocator and the stacks of ended threads have their final size. */
  cycles(20);
  OK(dho_attach(NULL));
  cycles(count / 10);
  /* A peer opens its last descriptor 50 ms after it has joined. */
  for (double begin = now_s(); now_s() < begin + 0.2;) cycles(20);
  int descriptors_before = descriptors();
  int mappings_before = mappings();
  cycles(count);
  printf("%d cycles: descriptors %d -> %d, mappings %d -> %d\n", count, descriptors_before,
         descriptors(), mappings_before, mappings());
  CHECK(descriptors() == descriptors_before);
  CHECK(mappings() <= mappings_before + MAPPINGS_SLACK);

  OK(dho_detach(NULL));
  cycles(20);
  descriptors_before = descriptors();
  mappings_before = mappings();
  cycles(count / 100);
  printf("%d with joining: descriptors %d -> %d, mappings %d -> %d\n", count / 100,
         descriptors_before, descriptors(), mappings_before, mappings());
  CHECK(descriptors() == descriptors_before);
  CHECK(mappings() <= mappings_before + MAPPINGS_SLACK);
}
