/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin of the launch benchmark: static, and no more than it takes to be one. Its entries: "nothing" answers at once,
 * "calls" measures calls of the host and answers with their times, "hang" never answers. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FROM_HOST 3
#define TO_HOST 4
#define CALLS 400
#define WARM_UP 50
#define CALL_BYTES 200
#define MAX_BYTES 65536

static char message[MAX_BYTES + 1];
static char held[MAX_BYTES];
static size_t n_held;

/* One whole message of the host, its header included, to message[]; 0 where the host has gone. */
static size_t
receive (void)
{
  for (;;)
    {
      char *end = memmem (held, n_held, "\r\n\r\n", 4);
      const char *length = end ? memmem (held, (size_t) (end - held), "Content-Length: ", 16) : NULL;
      size_t size = length ? (size_t) (end - held) + 4 + strtoul (length + 16, NULL, 10) : MAX_BYTES;

      if (length != NULL && size <= n_held)
        {
          memcpy (message, held, size);
          message[size] = '\0';
          n_held -= size;
          memmove (held, held + size, n_held);
          return size;
        }
      ssize_t n = read (FROM_HOST, held + n_held, sizeof held - n_held);
      if (n <= 0)
        return 0;
      n_held += (size_t) n;
    }
}

static void
send_body (const char *body)
{
  static char frame[MAX_BYTES];
  size_t size = (size_t) snprintf (frame, sizeof frame, "Content-Length: %zu\r\n\r\n%s", strlen (body), body);

  if (write (TO_HOST, frame, size) != (ssize_t) size)
    _exit (1);
}

static double
look_at_clock (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

/* The body is filled up with spaces, which JSON allows at its end. */
static void
make_call (char *body)
{
  static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"context.get\"}";
  size_t size = CALL_BYTES - strlen ("Content-Length: 123\r\n\r\n");

  memset (body, ' ', size);
  memcpy (body, call, strlen (call));
  body[size] = '\0';
}

static void
measure_calls (void)
{
  static char answer[MAX_BYTES];
  char body[CALL_BYTES + 1];
  size_t at, reply = 0;

  make_call (body);
  at = (size_t) sprintf (answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ns\":[");
  for (int i = 0; i < WARM_UP + CALLS; i++)
    {
      double begin = look_at_clock ();

      send_body (body);
      reply = receive ();
      if (reply == 0 || strstr (message, "\"result\"") == NULL)
        _exit (1);
      if (i >= WARM_UP)
        at += (size_t) sprintf (answer + at, "%s%.0f", i > WARM_UP ? "," : "", look_at_clock () - begin);
    }
  sprintf (answer + at, "],\"callBytes\":%d,\"replyBytes\":%zu}}", CALL_BYTES, reply);
  send_body (answer);
}

/* With all that keeps a program from ending: TERM ignored, a child in a session of its own, the pipes held open. */
static void
hang (void)
{
  signal (SIGTERM, SIG_IGN);
  if (fork () == 0)
    setsid ();
  for (;;)
    pause ();
}

int
main (void)
{
  if (receive () == 0)
    return 1;
  if (strstr (message, "\"hang\"") != NULL)
    hang ();
  else if (strstr (message, "\"calls\"") != NULL)
    measure_calls ();
  else
    send_body ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}");
  return 0;
}
