/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin of the benchmarks: static, and no more than it takes to be one. Its entries: "nothing" answers at once, "hang" never
 * answers, the others measure calls of the host and answer with their times. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FROM_HOST 3
#define TO_HOST 4
#define MAX_BYTES (8 * 1024 * 1024)
#define CALL_BYTES 200
#define MAX_PARAMS 8192

/* What is measured: @at_once calls are made before the first answer is waited for, @rounds times. */
typedef struct
{
  const char *entry;
  const char *method;
  const char *params; /* %s: the first selected path */
  int at_once;
  int warm_up;
  int rounds;
} Measure;

static const Measure measures[] = {
  { "calls", "context.get", "{}", 1, 50, 400 },
  { "flight", "context.get", "{}", 32, 5, 100 },
  { "small", "storage.get", "{\"key\":\"small\"}", 1, 20, 200 },
  { "large", "storage.get", "{\"key\":\"large\"}", 1, 3, 20 },
  { "text", "file.readText", "{\"path\":\"%s\"}", 1, 3, 20 },
  { "spawn", "process.spawn", "{\"tool\":\"true\"}", 1, 1, 8 },
};

static char held[MAX_BYTES];
static size_t n_held;
/* Of what is held, this much was the last message. */
static size_t n_taken;

/* One whole message of the host, its header included, at held[]; 0 where the host has gone. */
static size_t
receive (void)
{
  size_t size = 0;

  n_held -= n_taken;
  memmove (held, held + n_taken, n_held);
  n_taken = 0;
  for (;;)
    {
      char *end = size == 0 ? memmem (held, n_held, "\r\n\r\n", 4) : NULL;

      if (end != NULL)
        size = (size_t) (end - held) + 4 + strtoul (held + strlen ("Content-Length: "), NULL, 10);
      if (size > 0 && size <= n_held)
        return n_taken = size;
      ssize_t n = read (FROM_HOST, held + n_held, sizeof held - n_held);
      if (n <= 0)
        return 0;
      n_held += (size_t) n;
    }
}

static int
holds (const char *text)
{
  return memmem (held, n_taken, text, strlen (text)) != NULL;
}

static void
send_body (const char *body)
{
  static char frame[65536];
  size_t size = (size_t) snprintf (frame, sizeof frame, "Content-Length: %zu\r\n\r\n%s", strlen (body), body);

  if (size >= sizeof frame || write (TO_HOST, frame, size) != (ssize_t) size)
    _exit (1);
}

static double
look_at_clock (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

/* The first of the selected paths, as the host wrote it: it needs no unescaping to be put into a call again. */
static char *
dup_path (void)
{
  const char *begin = memmem (held, n_taken, "\"paths\":[\"", 10);
  const char *end = begin ? memchr (begin + 10, '"', n_taken - (size_t) (begin + 10 - held)) : NULL;

  return end ? strndup (begin + 10, (size_t) (end - begin - 10)) : strdup ("");
}

/* The body is filled up with spaces to CALL_BYTES, which JSON allows at its end. */
static void
make_call (char *body,
           size_t size,
           const Measure *measure,
           int id,
           const char *path)
{
  char params[MAX_PARAMS];
  size_t least = CALL_BYTES - strlen ("Content-Length: 123\r\n\r\n");
  int n;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf (params, sizeof params, measure->params, path);
#pragma GCC diagnostic pop
  n = snprintf (body, size, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}", id, measure->method, params);
  while ((size_t) n < least)
    body[n++] = ' ';
  body[n] = '\0';
}

/* Nanoseconds for each of those at once, together. */
static double
call_once (const Measure *measure,
           const char *path,
           size_t *reply)
{
  char body[MAX_PARAMS + 200];
  double begin = look_at_clock ();

  for (int i = 0; i < measure->at_once; i++)
    {
      make_call (body, sizeof body, measure, 7 + i, path);
      send_body (body);
    }
  for (int i = 0; i < measure->at_once; i++)
    {
      *reply = receive ();
      if (*reply == 0 || !holds ("\"result\""))
        _exit (1);
    }
  return look_at_clock () - begin;
}

static void
measure_calls (const Measure *measure,
               const char *path)
{
  static char answer[32768];
  size_t at = (size_t) sprintf (answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ns\":[");
  size_t reply = 0;

  for (int i = 0; i < measure->warm_up + measure->rounds; i++)
    {
      double taken = call_once (measure, path, &reply);

      if (i >= measure->warm_up)
        at += (size_t) sprintf (answer + at, "%s%.0f", i > measure->warm_up ? "," : "", taken);
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
  char entry[64];
  char *path;

  if (receive () == 0)
    return 1;
  path = dup_path ();
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
    {
      snprintf (entry, sizeof entry, "\"entry\":\"%s\"", measures[i].entry);
      if (holds (entry))
        {
          measure_calls (&measures[i], path);
          return 0;
        }
    }
  if (holds ("\"entry\":\"hang\""))
    hang ();
  send_body ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}");
  return 0;
}
