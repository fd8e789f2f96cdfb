/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli-ask.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Nobody reads a question and types a word in less. */
#define MIN_ANSWER_US (G_USEC_PER_SEC / 2)
#define MAX_ANSWER_BYTES 64

gboolean
oc_cli_can_ask (void)
{
  return isatty (STDIN_FILENO) && isatty (STDOUT_FILENO);
}

/* One line by read(): stdio would keep what was typed ahead in its own buffer, out of tcflush()'s reach. FALSE at the end
 * of input and for a line that is too long. */
static gboolean
read_line (char *line,
           gsize size)
{
  gsize at = 0;

  for (;;)
    {
      ssize_t n = read (STDIN_FILENO, line + at, 1);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      if (line[at] == '\n')
        break;
      if (++at == size)
        {
          /* The rest of the line must not become a command of the shell that comes next. */
          tcflush (STDIN_FILENO, TCIFLUSH);
          return FALSE;
        }
    }
  line[at] = '\0';
  /* What stands behind a NUL would not be looked at. */
  return memchr (line, '\0', at) == NULL;
}

gboolean
oc_cli_ask (const char *question,
            const char *word)
{
  for (;;)
    {
      char line[MAX_ANSWER_BYTES];
      gint64 asked;

      tcflush (STDIN_FILENO, TCIFLUSH);
      g_print ("%s ", question);
      asked = g_get_monotonic_time ();
      if (!read_line (line, sizeof line))
        {
          g_print ("\n");
          return FALSE;
        }
      if (g_get_monotonic_time () - asked >= MIN_ANSWER_US)
        return strcmp (g_strstrip (line), word) == 0;
      if (line[0] != '\0' && strcmp (g_strstrip (line), word) != 0)
        return FALSE;
      g_print ("%s\n", _ ("That was too fast to be an answer to this question; please answer again."));
    }
}
