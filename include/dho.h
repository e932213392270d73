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
 *   - A DHO_t is the caller's: zero-initialised, or by DHO_INITIALIZER. A copy of it is the same
 *     handle.
 *   - Every int function returns 0 or an error number: of <errno.h>, or one of the DHO_E below.
 *     `dho_strerror` tells them in words; right after a failure, in the words that fit it. 0 is
 *     also returned where there was nothing to do.
 *   - The group is that of the options, of $CONCH_GROUP, or "default". The process joins it with
 *     its first handle and leaves it with its last, or with `dho_detach`. Where to find it:
 *     $CONCH_JOIN, $CONCH_LISTEN and the others of docs/dho.md.
 *   - docs/dho.md says what each call does in each state.
 *
 * Threads
 *   - All functions may be called by any thread, for the same handle, too. One thread at a time
 *     waits in an acquire; others are told EBUSY. A release, cancel or destroy ends it with
 *     ECANCELED.
 *   - What `dho_map` returned may be used until release, resize or destroy.
 *   - A forked child has none of its parent's handles, and may create its own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__ /* what the library exports, however it is compiled */
#pragma GCC visibility push(default)
#endif

struct timespec; /* of POSIX: strict C99 has none */

typedef struct DHO_t {
  uint64_t number;
} DHO_t;
#define DHO_INITIALIZER \
  { 0 }

typedef enum dho_state {
  DHO_INVALID, /* no handle: not created, or destroyed */
  DHO_VALID,   /* wants nothing */
  DHO_REQ,     /* the lock was asked for */
  DHO_GRANT,   /* the lock is here; nobody has come for it */
  DHO_BLOCKED, /* a thread waits in acquire */
  DHO_FETCH,   /* the lock is here, the data are on their way */
  DHO_LOCKED,  /* a thread has lock and data */
  DHO_UNLOCK,  /* a thread has released; the data are being copied to others */
  DHO_LOST     /* the process was put out of the group: what was held is not held any more */
} dho_state;

enum {
  DHO_ENOTREQ = 10001, /* acquire without a request */
  DHO_EPEERLOST,       /* this process was put out of the group; or released data were lost with
                          another, and a second acquire goes on with what there is */
  DHO_ETORN,           /* the last holder died while it wrote: a second acquire has the bytes as
                          they are */
  DHO_EGROUP           /* the group cannot be joined; dho_strerror says why */
};

/* Zero in all of them is what dho_create takes. */
typedef struct dho_options {
  unsigned copies;     /* so many other peers have the data when release returns, or all if they are
                          fewer; 0: a holder's death tears the data */
  int prefetch;        /* fetch at the grant, not at the acquire */
  char const* group;   /* NULL: $CONCH_GROUP, or "default" */
  unsigned timeout_ms; /* how long create and acquire wait (ETIMEDOUT); 0: create 30 s, acquire for
                          ever */
  int persist; /* the last peer of the group to leave writes the data to the state directory;
                  of the handle with which the process joins */
} dho_options;

/* Makes a valid handle of a resource; the first one of a name makes a resource of size 0. */
int dho_create(DHO_t* handle, char const* name);
int dho_create_with(DHO_t* handle, char const* name, dho_options const* options);
/* A handle of its own for a part of another's data: its acquire moves only those bytes. */
int dho_duplicate(DHO_t* handle, DHO_t const* source, size_t offset, size_t length);
/* Gives up whatever the handle has. */
int dho_destroy(DHO_t* handle);

/* Asks for the lock, to write (exclusively) or to read (inclusively), and returns. */
int dho_ew_request(DHO_t* handle);
int dho_ir_request(DHO_t* handle);
/* The state of the handle; never waits. */
dho_state dho_test(DHO_t* handle);
/* Waits until lock and data are here. EINVAL if they were asked for in the other way. */
int dho_ew_acquire(DHO_t* handle);
int dho_ir_acquire(DHO_t* handle);
/* Until this time of CLOCK_REALTIME, as pthread_mutex_timedlock does, however they were asked for;
   ETIMEDOUT leaves the request where it is. */
int dho_timedacquire(DHO_t* handle, struct timespec const* deadline);
/* Waits for nobody else: asks for the lock, unless that was done, and has lock and data if it is
   free; EAGAIN if it is not, and then the handle is as it was. */
int dho_ew_tryacquire(DHO_t* handle);
int dho_ir_tryacquire(DHO_t* handle);
/* Gives lock and data to the next. A request that was not acquired is given up. EINVAL if it was
   asked for in the other way. */
int dho_ew_release(DHO_t* handle);
int dho_ir_release(DHO_t* handle);
/* Gives up a request that was not acquired. */
int dho_cancel(DHO_t* handle);

/* While locked: the handle's bytes, and how many; NULL if there are none. To read only, if that was
   asked for. */
void* dho_map(DHO_t* handle, size_t* size);
/* While locked to write: where the data end. What comes in is zero; dho_map may return another
   address afterwards. */
int dho_resize(DHO_t* handle, size_t size);
/* While the lock is here: a number larger than that of every holder before; otherwise 0. */
uint64_t dho_fence(DHO_t* handle);
/* Of the transfer under way, or of the last: how many bytes have come, of how many. */
int dho_progress(DHO_t* handle, size_t* moved, size_t* total);

/* Joins the group before the first handle, and stays in it after the last, until as many detaches.
   NULL: $CONCH_GROUP, or "default". */
int dho_attach(char const* group);
int dho_detach(char const* group);

/* Lives until the thread's next failure. */
char const* dho_strerror(int error);
char const* dho_version(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
