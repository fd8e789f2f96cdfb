/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ocelot-desktop: see oc-desktop-private.h. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "launcher/oc-desktop-private.h"

/* Nothing of whoever started this is left to what it starts. */
static gboolean
detach (void)
{
  const char *home = g_get_home_dir ();
  sigset_t none;
  int fd;

  /* Fails where it leads a group already, which is as good. */
  setsid ();
  sigemptyset (&none);
  if (sigprocmask (SIG_SETMASK, &none, NULL) != 0)
    return FALSE;
  fd = open ("/dev/null", O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return FALSE;
  for (int i = 0; i <= 2; i++)
    if (dup2 (fd, i) < 0)
      return FALSE;
  if (fd > 2 && fd != OC_DESKTOP_FD)
    close (fd);
  /* Where the launcher was started is the host's business, and a browser would keep that place busy. */
  if (home == NULL || *home == '\0' || chdir (home) != 0)
    return chdir ("/") == 0;
  return TRUE;
}

/* Tokens of the host's own start: a second program that uses them takes the wrong window to the front. */
static void
clean_environment (void)
{
  g_unsetenv ("DESKTOP_STARTUP_ID");
  g_unsetenv ("XDG_ACTIVATION_TOKEN");
}

int
main (int argc,
      char **argv)
{
  const char *verb = argc > 1 ? argv[1] : "";

  if (!detach ())
    return 1;
  setlocale (LC_ALL, "");
  clean_environment ();
  if (g_str_equal (verb, "notify") && argc == 6)
    return oc_desktop_notify (argv[2], argv[3], argv[4], argv[5]);

  alarm (OC_DESKTOP_MAX_SECONDS);
  /* What a run asked for ends with its launcher, if it is not yet done. */
  if (fcntl (OC_DESKTOP_FD, F_SETFD, FD_CLOEXEC) != 0 || prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    return 1;
  if (g_str_equal (verb, "url") && argc == 3)
    return oc_desktop_open_url (argv[2]);
  if (g_str_equal (verb, "folder") && argc == 4)
    return oc_desktop_open_folder (argv[2], argv[3]);
  return 2;
}
