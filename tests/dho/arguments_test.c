/* Tests wrong arguments: every call returns an error, and none crashes. Also tests the text of
   every error. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "check.h"

/* Calls every function with an invalid handle. */
static void expect_no_handle(DHO_t* handle) {
  DHO_t part = DHO_INITIALIZER;
  struct timespec past = {0, 0};
  size_t size = 7;
  EXPECT(dho_ew_request(handle), EINVAL);
  EXPECT(dho_ir_request(handle), EINVAL);
  CHECK(dho_test(handle) == DHO_INVALID);
  EXPECT(dho_ew_acquire(handle), EINVAL);
  EXPECT(dho_ir_acquire(handle), EINVAL);
  EXPECT(dho_ew_tryacquire(handle), EINVAL);
  EXPECT(dho_ir_tryacquire(handle), EINVAL);
  EXPECT(dho_timedacquire(handle, &past), EINVAL);
  OK(dho_ew_release(handle));
  OK(dho_ir_release(handle));
  OK(dho_cancel(handle));
  CHECK(dho_map(handle, &size) == NULL && size == 0);
  CHECK(dho_map(handle, NULL) == NULL);
  EXPECT(dho_resize(handle, 1), EINVAL);
  CHECK(dho_fence(handle) == 0);
  EXPECT(dho_progress(handle, &size, &size), EINVAL);
  EXPECT(dho_duplicate(&part, handle, 0, 1), EINVAL);
  OK(dho_destroy(handle));
}

static void no_handle_is_recognised(void) {
  DHO_t zero = DHO_INITIALIZER;
  expect_no_handle(&zero);
  expect_no_handle(NULL);
  for (uint64_t garbage = 1; garbage != 0; garbage <<= 1) {
    DHO_t handle = {garbage};
    expect_no_handle(&handle);
    handle.number = ~garbage;
    expect_no_handle(&handle);
  }
}

static void null_is_refused(void) {
  DHO_t handle = DHO_INITIALIZER;
  DHO_t part = DHO_INITIALIZER;
  EXPECT(dho_create(NULL, "a"), EINVAL);
  EXPECT(dho_create(&handle, NULL), EINVAL);
  CHECK(strcmp(dho_strerror(EINVAL), "the name is NULL") == 0);
  OK(dho_create_with(&handle, "a", NULL));
  EXPECT(dho_duplicate(NULL, &handle, 0, 1), EINVAL);
  EXPECT(dho_duplicate(&part, NULL, 0, 1), EINVAL);
  EXPECT(dho_duplicate(&part, &handle, 0, 0), EINVAL);
  EXPECT(dho_timedacquire(&handle, NULL), EINVAL);
  struct timespec nonsense = {0, 1000000000};
  EXPECT(dho_timedacquire(&handle, &nonsense), EINVAL);
  OK(dho_progress(&handle, NULL, NULL));
  OK(dho_destroy(&handle));
}

static void a_copy_is_the_same_handle(void) {
  DHO_t handle = {12345}; /* Garbage is overwritten. */
  OK(dho_create(&handle, "a"));
  DHO_t copy = handle;
  OK(dho_ew_request(&copy));
  OK(dho_ew_acquire(&handle));
  CHECK(dho_test(&copy) == DHO_LOCKED);
  OK(dho_destroy(&handle));
  expect_no_handle(&copy);
  OK(dho_create(&copy, "a"));
  CHECK(dho_test(&handle) == DHO_INVALID);
  OK(dho_destroy(&copy));
}

static void bad_names_are_told(void) {
  DHO_t handle = DHO_INITIALIZER;
  char const* const names[] = {"", "a\nb", "\xff"};
  for (int i = 0; i < 3; ++i) {
    EXPECT(dho_create(&handle, names[i]), EINVAL);
    CHECK(strstr(dho_strerror(EINVAL), "cannot be the name") != NULL);
  }
  dho_options options = {.group = "../up"};
  EXPECT(dho_create_with(&handle, "a", &options), DHO_EGROUP);
  CHECK(strstr(dho_strerror(DHO_EGROUP), "is not a group name") != NULL);
  EXPECT(dho_attach("../up"), DHO_EGROUP);
}

/* A message must name neither options of the command nor classes of C++. */
static void expect_words_of_c(char const* sentence, char const* wanted) {
  if (strstr(sentence, wanted) && !strstr(sentence, "--") && !strstr(sentence, "Peer")) return;
  fprintf(stderr, "a C program is told: %s\n", sentence);
  exit(1);
}

static void a_group_that_cannot_be_joined(void) {
  DHO_t handle = DHO_INITIALIZER;
  dho_options options = {.group = "far", .timeout_ms = 200};
  setenv("CONCH_INSECURE", "perhaps", 1);
  EXPECT(dho_create_with(&handle, "a", &options), DHO_EGROUP);
  CHECK(strcmp(dho_strerror(DHO_EGROUP), "CONCH_INSECURE=perhaps: expected 1 or 0") == 0);
  setenv("CONCH_INSECURE", "0", 1);
  setenv("CONCH_JOIN", "127.0.0.1:1", 1); /* Nobody listens there. */
  int error = dho_create_with(&handle, "a", &options);
  CHECK(error == ETIMEDOUT || error == DHO_EGROUP);
  CHECK(strstr(dho_strerror(error), "127.0.0.1:1") != NULL);
  unsetenv("CONCH_JOIN");
  unsetenv("CONCH_INSECURE");
  setenv("CONCH_ALGORITHM", "none-such", 1);
  EXPECT(dho_create_with(&handle, "a", &options), DHO_EGROUP);
  expect_words_of_c(dho_strerror(DHO_EGROUP), "none-such");
  setenv("CONCH_REGISTER", "http://127.0.0.1:1", 1);
  setenv("CONCH_JOIN", "127.0.0.1:1", 1);
  EXPECT(dho_create_with(&handle, "a", &options), DHO_EGROUP);
  expect_words_of_c(dho_strerror(DHO_EGROUP), "leave out CONCH_JOIN or CONCH_REGISTER");
  unsetenv("CONCH_REGISTER");
  unsetenv("CONCH_JOIN");
  setenv("CONCH_ALGORITHM", "sigma", 1);
  EXPECT(dho_create_with(&handle, "a", &options), DHO_EGROUP);
  expect_words_of_c(dho_strerror(DHO_EGROUP), "carry no data");
  unsetenv("CONCH_ALGORITHM");
  options.group = "near";
  OK(dho_create_with(&handle, "a", &options));
  OK(dho_destroy(&handle));
}

static void every_error_has_words(void) {
  int const errors[] = {EINVAL, EAGAIN,      EBUSY,         EPERM,     ETIMEDOUT, ECANCELED,
                        ENOMEM, DHO_ENOTREQ, DHO_EPEERLOST, DHO_ETORN, DHO_EGROUP};
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
    char const* words = dho_strerror(errors[i]);
    printf("%5d  %s\n", errors[i], words);
    CHECK(strlen(words) > 10);
  }
  CHECK(strcmp(dho_strerror(0), "no error") == 0);
  CHECK(strstr(dho_strerror(EDOM), "omain") != NULL);
  CHECK(strlen(dho_strerror(-1)) > 0);
  CHECK(strstr(dho_version(), ".") != NULL);
}

static void attaching_is_counted(void) {
  OK(dho_detach(NULL)); /* nothing to do */
  OK(dho_attach(NULL));
  OK(dho_attach("default")); /* the same group */
  OK(dho_attach("second"));
  for (int i = 0; i < 3; ++i) OK(dho_detach(""));
  OK(dho_detach("second"));
}

int main(void) {
  every_error_has_words();
  no_handle_is_recognised();
  null_is_refused();
  a_copy_is_the_same_handle();
  bad_names_are_told();
  a_group_that_cannot_be_joined();
  attaching_is_counted();
}
