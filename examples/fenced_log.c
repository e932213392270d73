/* A log that refuses late writers. A lock cannot stop a process that was asleep and does not know
 * yet that it has lost the lock. But the log can, because it compares fences: the fence of a holder
 * is greater than every earlier one.
 *
 *   fenced_log FILE write TIMES      appends TIMES lines
 *   fenced_log FILE late             takes the lock, sleeps, and writes after another holder
 *
 *   cc fenced_log.c $(pkg-config --cflags --libs dho) -o fenced_log
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "must.h"

/* The log has a lock of its own, which it holds only while it looks and appends. */
static int open_log(char const* path) {
  int file = open(path, O_RDWR | O_CREAT, 0600);
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (file < 0 || fcntl(file, F_SETLKW, &whole) != 0) {
    perror(path);
    exit(1);
  }
  return file;
}

/* All lines have the same length: fence, number, process. */
enum { LINE = 20 + 1 + 10 + 1 + 10 + 1 };

static uint64_t last_fence(int file) {
  char line[LINE + 1] = "0";
  off_t end = lseek(file, 0, SEEK_END);
  if (end >= LINE && pread(file, line, LINE, end - LINE) != LINE) exit(1);
  return strtoull(line, NULL, 10);
}

/* Appends a line. Returns whether the log has accepted it. */
static int append(char const* path, uint64_t fence, long number) {
  int file = open_log(path);
  int taken = fence >= last_fence(file);
  char line[2 * LINE];
  snprintf(line, sizeof line, "%20" PRIu64 " %10ld %10ld\n", fence, number, (long)getpid());
  if (taken && write(file, line, LINE) != LINE) exit(1);
  close(file); /* also unlocks */
  return taken;
}

/* The number of the next line is in the block that travels with the lock. */
static long next_number(DHO_t* handle) {
  if (dho_map(handle, NULL) == NULL) MUST(dho_resize(handle, sizeof(long)));
  return (*(long*)dho_map(handle, NULL))++;
}

static int write_line(DHO_t* handle, char const* path) {
  MUST(dho_ew_request(handle));
  MUST(dho_ew_acquire(handle));
  int taken = append(path, dho_fence(handle), next_number(handle));
  MUST(dho_ew_release(handle));
  return taken;
}

static int write_late(DHO_t* handle, char const* path) {
  DHO_t other = DHO_INITIALIZER;
  MUST(dho_create(&other, "log"));
  MUST(dho_ew_request(handle));
  MUST(dho_ew_acquire(handle));
  uint64_t fence = dho_fence(handle);
  long number = next_number(handle);
  MUST(dho_ew_release(handle)); /* It believes that it slept only for a moment. */
  if (!write_line(&other, path)) return 1;
  MUST(dho_destroy(&other));
  if (append(path, fence, number)) return 1;
  printf("refused: fence %" PRIu64 " is older than that of the last line\n", fence);
  return 0;
}

int main(int argc, char** argv) {
  int writes = argc == 4 && strcmp(argv[2], "write") == 0;
  int is_late = argc == 3 && strcmp(argv[2], "late") == 0;
  if (!writes && !is_late) {
    fprintf(stderr, "usage: fenced_log FILE write TIMES | fenced_log FILE late\n");
    return 2;
  }
  DHO_t handle = DHO_INITIALIZER;
  MUST(dho_create(&handle, "log"));
  int failed = is_late ? write_late(&handle, argv[1]) : 0;
  for (int i = 0; writes && i < atoi(argv[3]); ++i) failed += !write_line(&handle, argv[1]);
  MUST(dho_destroy(&handle));
  return failed == 0 ? 0 : 1;
}
