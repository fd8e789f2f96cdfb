/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-consent.h"
#include "core/oc-plugin.h"
#include "core/oc-policy.h"

/* A private home for one case, with made-up plugins in it. No session bus unless a case starts one. */
typedef struct
{
  char *root;
  char *data; /* $XDG_DATA_HOME */
  char *system;
  OcPaths *paths;
} Home;

/* Before g_test_init(): takes the caller's session away. */
void home_isolate (void);
Home *home_new (void);
void home_free (Home *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Home, home_free)

/* A process plugin with @permissions (comma-separated, maybe empty) in the user's Plugins folder. */
void home_add_plugin (Home *self,
                      const char *id,
                      const char *version,
                      const char *permissions);
void home_add_plugin_at (const char *plugins,
                         const char *id,
                         const char *version,
                         const char *permissions);
OcPlugin *home_find (Home *self,
                     const char *id);
/* Enables what is there now; must succeed. */
void home_enable (Home *self,
                  const char *id);
/* What the state function says of @id now. (transfer full) */
char *home_state (Home *self,
                  const char *id);
#define assert_state(home, id, expected)                                                                      \
  G_STMT_START                                                                                                \
  {                                                                                                           \
    g_autofree char *state_ = home_state (home, id);                                                          \
    g_assert_cmpstr (state_, ==, expected);                                                                   \
  }                                                                                                           \
  G_STMT_END
/* The consent file's bytes. (transfer full) */
char *home_read_consent (Home *self,
                         gsize *len);
void home_write_consent (Home *self,
                         const char *data,
                         gsize len);
/* The bytes of one record in the consent file. (transfer full) (nullable) */
char *home_record (Home *self,
                   const char *id);
/* Writes @text to @path below the home, making folders. */
void home_write (Home *self,
                 const char *path,
                 const char *text);
/* Runs the main loop until @condition or a deadline, which fails the test. */
void home_wait (gboolean (*condition) (gpointer user_data),
                gpointer user_data);
