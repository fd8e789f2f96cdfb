/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-catalogue-glob.h"

#include <string.h>

/* A pattern with wildcards that is longer is not looked at but taken for a wide one: no honest one is, and 256 hostile ones
 * must not hold a surface up. */
#define MAX_JUDGED_BYTES 256

/* Files in a home that the system, a shell, the desktop or a usual tool runs or takes commands from, outside of any sandbox.
 * Who can write one can have any program run. */
static const char *const starters[] = {
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".xprofile",
  ".xsession",
  ".xsessionrc",
  ".xinitrc",
  ".pam_environment",
  ".config/fish/**",
  ".config/autostart/*",
  ".config/autostart-scripts/*",
  ".config/plasma-workspace/**",
  ".config/systemd/user/**",
  ".config/environment.d/*",
  ".config/user-dirs.dirs",
  ".config/mimeapps.list",
  ".config/dconf/*",
  ".local/share/applications/**",
  ".local/share/dbus-1/services/*",
  ".local/share/systemd/user/**",
  ".local/share/gnome-shell/extensions/**",
  ".local/share/nautilus/scripts/**",
  ".local/share/ocelot/**",
  ".local/bin/*",
  "bin/*",
  ".gitconfig",
  ".config/git/*",
  ".ssh/config",
  ".ssh/rc",
  ".ssh/authorized_keys",
  ".vimrc",
  ".vim/**",
  ".config/nvim/**",
  ".emacs",
  ".emacs.d/**",
  ".config/Code/User/**",
  ".tmux.conf",
  ".config/tmux/*",
  ".npmrc",
  ".pythonrc",
  ".local/lib/**",
  ".gdbinit",
  ".inputrc",
  /* More shells, window managers and terminals */
  ".bashrc.d/*",
  ".zlogout",
  ".oh-my-zsh/**",
  ".config/zsh/**",
  ".config/nushell/**",
  ".config/i3/*",
  ".i3/*",
  ".config/sway/**",
  ".config/hypr/**",
  ".config/openbox/*",
  ".config/awesome/**",
  ".config/xfce4/**",
  ".config/kitty/**",
  ".config/alacritty/*",
  ".config/wezterm/**",
  ".wezterm.lua",
  ".config/ghostty/*",
  ".screenrc",
  ".mailcap",
  ".lessfilter",
  ".Rprofile",
  ".irbrc",
  /* What tools and languages read or run at their start */
  ".pryrc",
  ".pdbrc",
  ".lldbinit",
  ".ipython/**",
  ".julia/config/*",
  ".hgrc",
  ".subversion/config",
  ".wgetrc",
  ".curlrc",
  ".cargo/config",
  ".cargo/config.toml",
  ".cargo/bin/*",
  ".rustup/**",
  "go/bin/*",
  ".npm-global/**",
  ".nvm/**",
  ".pyenv/**",
  ".rbenv/**",
  ".asdf/**",
  ".sdkman/**",
  ".deno/**",
  ".bun/**",
  ".gem/**",
  ".gradle/**",
  ".m2/**",
  ".nix-profile/**",
  ".config/nix/*",
  ".vscode/**",
  ".vscode-oss/**",
  ".config/VSCodium/User/**",
  ".config/JetBrains/**",
  ".config/emacs/**",
  ".config/helix/*",
  ".config/mpv/**",
  ".config/containers/**",
  ".docker/**",
  ".kube/config",
  ".aws/config",
  ".gnupg/gpg-agent.conf",
  ".asoundrc",
  ".config/pulse/*",
  ".config/pipewire/**",
  ".mozilla/**",
  ".thunderbird/**",
  ".config/chromium/**",
  ".config/google-chrome/**",
  ".config/libreoffice/**",
  ".var/app/**",
  "snap/**",
  ".local/share/flatpak/**",
  ".local/share/kservices5/**",
  ".local/share/kio/**",
  ".local/share/nemo/**",
};

/* One step of a pattern: what it takes next. */
typedef enum
{
  TAKES_NOTHING, /* its end */
  TAKES_ONE,     /* this character */
  TAKES_NAME,    /* "?" and "*": any but "/" */
  TAKES_ANY,     /* "**" */
} Takes;

/* @length: (out): how many bytes of the pattern that step is. @repeats: (out): whether it may take more, or none */
static Takes
read_step (const char *at,
           gsize *length,
           gboolean *repeats)
{
  *length = *at != '\0';
  *repeats = *at == '*';
  if (*at == '\0')
    return TAKES_NOTHING;
  if (*at == '?')
    return TAKES_NAME;
  if (*at != '*')
    return TAKES_ONE;
  if (at[1] != '*')
    return TAKES_NAME;
  *length = 2;
  return TAKES_ANY;
}

/* Whether one character fits both. */
static gboolean
can_take_alike (Takes a,
                char a_char,
                Takes b,
                char b_char)
{
  if (a == TAKES_NOTHING || b == TAKES_NOTHING)
    return FALSE;
  if (a == TAKES_ONE && b == TAKES_ONE)
    return a_char == b_char;
  if (a == TAKES_ONE)
    return b == TAKES_ANY || a_char != '/';
  if (b == TAKES_ONE)
    return a == TAKES_ANY || b_char != '/';
  return TRUE;
}

/* Both patterns read at once, as two automata in step: every pair of places is looked at once. */
gboolean
oc_glob_may_meet (const char *a,
                  const char *b)
{
  gsize width = strlen (b) + 1;
  g_autofree guint8 *seen = g_malloc0 ((strlen (a) + 1) * width);
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (gsize));
  gsize start = 0;

  g_array_append_val (todo, start);
  while (todo->len > 0)
    {
      gsize pair = g_array_index (todo, gsize, todo->len - 1);
      const char *at_a = a + pair / width;
      const char *at_b = b + pair % width;
      gsize len_a, len_b;
      gboolean repeats_a, repeats_b;
      Takes takes_a = read_step (at_a, &len_a, &repeats_a);
      Takes takes_b = read_step (at_b, &len_b, &repeats_b);
      gsize next[5];
      guint n = 0;

      g_array_set_size (todo, todo->len - 1);
      if (seen[pair]++)
        continue;
      if (takes_a == TAKES_NOTHING && takes_b == TAKES_NOTHING)
        return TRUE;
      if (repeats_a)
        next[n++] = pair + len_a * width;
      if (takes_a == TAKES_ANY && at_a[2] == '/')
        next[n++] = pair + 3 * width;
      if (repeats_b)
        next[n++] = pair + len_b;
      if (takes_b == TAKES_ANY && at_b[2] == '/')
        next[n++] = pair + 3;
      if (can_take_alike (takes_a, *at_a, takes_b, *at_b))
        next[n++] = pair + (repeats_a ? 0 : len_a * width) + (repeats_b ? 0 : len_b);
      for (guint i = 0; i < n; i++)
        if (!seen[next[i]])
          g_array_append_val (todo, next[i]);
    }
  return FALSE;
}

static gboolean
is_home (const char *path)
{
  if (g_str_equal (path, "/root") || g_strcmp0 (path, g_get_home_dir ()) == 0)
    return TRUE;
  return g_str_has_prefix (path, "/home/") && strchr (path + strlen ("/home/"), '/') == NULL;
}

/* Whether a pattern takes in a whole home folder or a top-level folder: the folders before its first wildcard are the
 * root, one below it, or a home, and "**" goes down from there. */
static gboolean
is_wide (const char *glob)
{
  g_autofree char *prefix = NULL;
  char *slash;

  if (strpbrk (glob, "*?") != NULL && strlen (glob) > MAX_JUDGED_BYTES)
    return TRUE;
  if (strstr (glob, "**") == NULL)
    return FALSE;
  prefix = g_strndup (glob, strcspn (glob, "*?"));
  slash = strrchr (prefix, '/');
  if (slash == NULL)
    return TRUE;
  *slash = '\0';
  return strrchr (prefix, '/') == prefix || prefix[0] == '\0' || is_home (prefix);
}

static gboolean
meets_in_home (const char *glob,
               const char *home)
{
  g_autofree char *all = g_build_filename (home, "**", NULL);

  if (!oc_glob_may_meet (glob, all))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (starters); i++)
    {
      g_autofree char *starter = g_build_filename (home, starters[i], NULL);
      if (oc_glob_may_meet (glob, starter))
        return TRUE;
    }
  return FALSE;
}

gboolean
oc_glob_starts_programs (const char *glob)
{
  const char *own = g_get_home_dir ();

  if (strpbrk (glob, "*?") != NULL && strlen (glob) > MAX_JUDGED_BYTES)
    return TRUE;
  return meets_in_home (glob, "/home/*") || meets_in_home (glob, "/root")
         || (!g_str_has_prefix (own, "/home/") && meets_in_home (glob, own));
}

OcGlobReach
oc_glob_get_reach (const char *glob)
{
  if (is_wide (glob))
    return OC_GLOB_WIDE;
  return oc_glob_starts_programs (glob) ? OC_GLOB_STARTS_PROGRAMS : OC_GLOB_NARROW;
}
