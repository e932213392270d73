/* Naimi-Trehel for Spin: bench/check.cpp compares it with `conch check naimi-trehel`.
 *
 *   spin -a -DN=4 -DR=3 naimi_trehel.pml     N nodes (2 to 6), R requests each
 *
 * The model has these in common with src/mutex/naimi_trehel.cpp without cancel, join and leave: the
 * corrected rule (an idle holder that gives the token away points its owner at the requester), one
 * step for each request, release and delivery, and channels that deliver in any order. A state has
 * the nodes' variables, what each process does and how often it will still ask, the multiset of
 * messages in flight with sender and addressee, and the newest fence. The numbers of states and of
 * transitions are those of a full exploration of the C++ class (Spin counts the beginning as one
 * transition).
 *
 * It differs in these: one number stands for the fence and for the version of the data, which goes
 * up with it. Other knowledge of a node (members, cancels, departures) never changes here and is
 * left out. A step of Spin runs compiled C on a few bytes in place; ours copies, calls and hashes
 * the values that run on the wire.
 *
 * A process that waits is not at an end state, so a deadlock is an invalid end state. Run pan with
 * -q, because nothing may be in flight at the end.
 */
#ifndef N
#define N 4
#endif
#ifndef R
#define R 1
#endif

#define NOBODY N
#define HOME 0

mtype = { REQUEST, TOKEN };

/* Kind, origin or fence, sender. Messages are sent sorted, so equal multisets are equal states. An
 * origin has at most one request in flight, so a node gets at most N messages, and the origin
 * selects any of them. */
chan inbox[N] = [N] of { mtype, byte, byte };

byte newest;
bool occupied;

inline enter() {
  assert(!occupied);
  occupied = true;
  assert(fence == newest);
  fence++;
  newest = fence
}

inline request() {
  d_step {
    left > 0 && owner != NOBODY ->
    left--;
    inbox[owner]!!REQUEST(_pid, _pid);
    owner = NOBODY
  }
}

inline enter_with_idle_token() {
  d_step {
    left > 0 && owner == NOBODY ->
    left--;
    enter()
  }
}

inline release() {
  d_step {
    occupied = false;
    if
    :: next != NOBODY -> inbox[next]!!TOKEN(fence, _pid); next = NOBODY
    :: else
    fi
  }
}

inline receive_token() {
  d_step {
    inbox[_pid]??TOKEN(fence, _) ->
    enter()
  }
}

inline receive_request_idle(origin) {
  d_step {
    inbox[_pid]??REQUEST(origin, _) ->
    if
    :: owner != NOBODY -> inbox[owner]!!REQUEST(origin, _pid)
    :: else -> inbox[origin]!!TOKEN(fence, _pid)
    fi;
    owner = origin
  }
}

inline receive_request_in_queue(origin) {
  d_step {
    inbox[_pid]??REQUEST(origin, _) ->
    if
    :: owner != NOBODY -> inbox[owner]!!REQUEST(origin, _pid)
    :: else -> next = origin
    fi;
    owner = origin
  }
}

/* One option for each origin. */
#if N == 2
#define OF_ANY(receive) :: receive(0) :: receive(1)
#elif N == 3
#define OF_ANY(receive) :: receive(0) :: receive(1) :: receive(2)
#elif N == 4
#define OF_ANY(receive) :: receive(0) :: receive(1) :: receive(2) :: receive(3)
#elif N == 5
#define OF_ANY(receive) :: receive(0) :: receive(1) :: receive(2) :: receive(3) :: receive(4)
#elif N == 6
#define OF_ANY(receive) \
  :: receive(0) :: receive(1) :: receive(2) :: receive(3) :: receive(4) :: receive(5)
#endif

active [N] proctype node() {
  byte owner = (_pid == HOME -> NOBODY : HOME);
  byte next = NOBODY;
  byte fence;
  byte left = R;

end_idle:
  do
  :: request() -> goto queued
  :: enter_with_idle_token() -> goto inside
  OF_ANY(receive_request_idle)
  od;

queued:
  do
  :: receive_token() -> goto inside
  OF_ANY(receive_request_in_queue)
  od;

inside:
  do
  :: release() -> goto end_idle
  OF_ANY(receive_request_in_queue)
  od
}
