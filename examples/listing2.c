/* The benchmark of Data Handover ([Hernane 2015, listing 2]), with error checks:
 * the program requests the lock, goes on, and acquires lock and data later. Run it in as many
 * shells as you like; the longer T_WBLOCKED is, the less of the waiting is spent blocked.
 *
 *   listing2 NAME SECONDS T_IDLE T_WBLOCKED T_LOCK      the last three in milliseconds
 *
 *   cc listing2.c $(pkg-config --cflags --libs dho) -o listing2
 */
#define _POSIX_C_SOURCE 200809L
#include "must.h"

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: listing2 NAME SECONDS T_IDLE T_WBLOCKED T_LOCK\n");
    return 2;
  }
  char const* name = argv[1];
  double T_end = now_ms() + 1000 * atof(argv[2]);
  double T_Idle = atof(argv[3]), T_WBlocked = atof(argv[4]), T_Lock = atof(argv[5]);
  DHO_t a = DHO_INITIALIZER;
  double waited = 0, blocked = 0;
  long cycles = 0, granted = 0;

  MUST(dho_create(&a, name));
  do {
    pause_ms(T_Idle);
    double asked = now_ms();
    MUST(dho_ew_request(&a));
    pause_ms(T_WBlocked);
    granted += dho_test(&a) == DHO_GRANT;
    double came = now_ms();
    MUST(dho_ew_acquire(&a));
    waited += now_ms() - asked;
    blocked += now_ms() - came;
    pause_ms(T_Lock);
    MUST(dho_ew_release(&a));
    ++cycles;
  } while (now_ms() < T_end);
  MUST(dho_destroy(&a));

  printf("%ld cycles, %ld granted before we came; mean wait %.2f ms, of which blocked %.2f ms\n",
         cycles, granted, waited / (double)cycles, blocked / (double)cycles);
}
