/* Data Handover: a named block of memory that travels with its lock, straight from the last holder
 * to the next.
 *
 *   DHO_t table = DHO_INITIALIZER;
 *   dho_create(&table, "table");
 *   dho_ew_request(&table);              asks for the lock and goes on
 *   compute_something();
 *   if (dho_ew_acquire(&table) == 0) {
 *     size_t size;
 *     void* bytes = dho_map(&table, &size);
 *     ...
 *     dho_ew_release(&table);
 *   }
 *   dho_destroy(&table);
 *
 * Conventions
 *   - The caller owns a DHO_t, and sets it to zero or to DHO_INITIALIZER. A copy of it is the same
 *     handle.
 *   - Every int function returns 0 or an error number: one of <errno.h>, or one of the DHO_E below.
 *     `dho_strerror` describes it; right after a failure, with the details of that failure. A call
 *     that has nothing to do also returns 0.
 *   - The group is that of the options, else $CONCH_GROUP, else "default". The process joins it
 *     with its first handle and leaves it with its last, or with `dho_detach`. The environment says
 *     where the group is: $CONCH_JOIN, $CONCH_LISTEN and the others of docs/data.md.
 *   - docs/data.md says what each call does in each state.
 *
 * Threads
 *   - Any thread may call any function, also for the same handle. One thread at a time waits in an
 *     acquire; others get EBUSY. A release, cancel or destroy by another thread ends the wait with
 *     ECANCELED.
 *   - The memory that `dho_map` returned may be used until release, resize or destroy.
 *   - A forked child has none of its parent's handles, and may create its own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__ /* exported even if compiled with hidden visibility */
#pragma GCC visibility push(default)
#endif

struct timespec; /* POSIX; strict C99 does not declare it */

typedef struct DHO_t {
  uint64_t number;
} DHO_t;
#define DHO_INITIALIZER \
  { 0 }

typedef enum dho_state {
  DHO_INVALID, /* not created, or destroyed */
  DHO_VALID,   /* no request, and nothing held */
  DHO_REQ,     /* the lock was requested */
  DHO_GRANT,   /* the lock is here; no thread has acquired it yet */
  DHO_BLOCKED, /* a thread waits in acquire */
  DHO_FETCH,   /* the lock is here, the data are on their way */
  DHO_LOCKED,  /* a thread holds the lock and has the data */
  DHO_UNLOCK,  /* a thread has released; the data are being copied to other peers */
  DHO_LOST     /* the process was put out of the group and holds nothing any more */
} dho_state;

enum {
  DHO_ENOTREQ = 10001, /* acquire without a request */
  DHO_EPEERLOST,       /* this process was put out of the group, or the newest released data died
                          with another peer: acquire again to go on with what is left */
  DHO_ETORN,           /* the last holder died while it wrote: acquire again to get the bytes as
                          they are */
  DHO_EGROUP           /* the group cannot be joined; dho_strerror says why */
};

/* dho_create takes the default of each, which is zero. */
typedef struct dho_options {
  unsigned copies;     /* how many other peers have the data when release returns (all others, if
                          they are fewer); with 0, a holder's death tears the data */
  int prefetch;        /* nonzero: fetch the data at the grant, not at the acquire */
  char const* group;   /* NULL: $CONCH_GROUP, else "default" */
  unsigned timeout_ms; /* how long create and acquire wait before ETIMEDOUT; with 0, create waits
                          30 s and acquire for ever */
  int persist;         /* nonzero: the last peer of the group to leave writes the data to the state
                          directory; counts only for the handle with which the process joins */
} dho_options;

/* Makes a valid handle of the resource with this name. A new resource has size 0. */
int dho_create(DHO_t* handle, char const* name);
int dho_create_with(DHO_t* handle, char const* name, dho_options const* options);
/* Makes a separate handle for a part of another's data. Its acquire moves only those bytes. */
int dho_duplicate(DHO_t* handle, DHO_t const* source, size_t offset, size_t length);
/* Gives up whatever the handle has. */
int dho_destroy(DHO_t* handle);

/* Requests the lock, to write (exclusively) or to read (inclusively), and returns. */
int dho_ew_request(DHO_t* handle);
int dho_ir_request(DHO_t* handle);
/* Returns the state of the handle; never waits. */
dho_state dho_test(DHO_t* handle);
/* Waits until lock and data are here. EINVAL if the request was for the other mode. */
int dho_ew_acquire(DHO_t* handle);
int dho_ir_acquire(DHO_t* handle);
/* Acquires in the mode that was requested, but waits only until this time of CLOCK_REALTIME, as
   pthread_mutex_timedlock does. After ETIMEDOUT the request keeps its place. */
int dho_timedacquire(DHO_t* handle, struct timespec const* deadline);
/* Acquires lock and data if nobody else has the lock; requests it first if that was not done.
   EAGAIN if the lock is not free; then the handle is as it was. Waits at most 50 ms for the other
   peers to answer, and for the data as long as they take. */
int dho_ew_tryacquire(DHO_t* handle);
int dho_ir_tryacquire(DHO_t* handle);
/* Hands lock and data to the next waiter; gives up a request that was not acquired. EINVAL if the
   request was for the other mode. */
int dho_ew_release(DHO_t* handle);
int dho_ir_release(DHO_t* handle);
/* Gives up a request that was not acquired. */
int dho_cancel(DHO_t* handle);

/* While locked: returns the handle's bytes and sets their number; NULL if there are none. The
   memory is read-only if the lock was requested to read. */
void* dho_map(DHO_t* handle, size_t* size);
/* While locked to write: moves the end of the data; new bytes are zero. dho_map may return another
   address afterwards. */
int dho_resize(DHO_t* handle, size_t size);
/* While the lock is here: a number greater than that of every earlier holder; otherwise 0. */
uint64_t dho_fence(DHO_t* handle);
/* Reports the transfer under way, or the last one: how many bytes have moved, of how many. */
int dho_progress(DHO_t* handle, size_t* moved, size_t* total);

/* Attach joins the group before the first handle, and keeps the process in it after the last, until
   it has detached as often as it attached. NULL: $CONCH_GROUP, else "default". */
int dho_attach(char const* group);
int dho_detach(char const* group);

/* The text stays valid until the thread's next failure. */
char const* dho_strerror(int error);
char const* dho_version(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
