/* Two processes that tell each other when to go on. */
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

typedef struct processes {
  int ours[2];   /* what the parent says */
  int theirs[2]; /* what the child says */
  pid_t child;
} processes;

/* Runs this in a child. Call it before the parent has a handle, because a child inherits none. */
static inline void start(processes* both, int (*child)(processes*)) {
  CHECK(pipe(both->ours) == 0 && pipe(both->theirs) == 0);
  both->child = fork();
  CHECK(both->child >= 0);
  if (both->child == 0) exit(child(both));
}

static inline void say(int const pipe_ends[2], char word) {
  CHECK(write(pipe_ends[1], &word, 1) == 1);
}
static inline char hear(int const pipe_ends[2]) {
  char word;
  alarm(60); /* Ends the test if the partner never answers. */
  CHECK(read(pipe_ends[0], &word, 1) == 1);
  alarm(0);
  return word;
}
static inline void tell_child(processes* both) { say(both->ours, 'x'); }
static inline void hear_parent(processes* both) { (void)hear(both->ours); }
static inline void tell_parent(processes* both) { say(both->theirs, 'x'); }
static inline void hear_child(processes* both) { (void)hear(both->theirs); }

static inline void finish(processes* both) {
  int status = -1;
  CHECK(waitpid(both->child, &status, 0) == both->child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  for (int i = 0; i < 2; ++i) {
    close(both->ours[i]);
    close(both->theirs[i]);
  }
}
