// Preloaded into the platform: the clock on the wall as if somebody had set it, by as many seconds
// as the file named by MUSTER_TEST_CLOCK holds. Only the wall: monotonic clocks cannot be set.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long shift_seconds(void) {
  const char *path = getenv("MUSTER_TEST_CLOCK");
  if (path == NULL) return 0;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32] = {0};
  const ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  return length > 0 ? strtol(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  const int outcome = (int)syscall(SYS_clock_gettime, clock, now);
  if (outcome == 0 && clock == CLOCK_REALTIME) now->tv_sec += shift_seconds();
  return outcome;
}
