/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-net-broker.h"
#include "sandbox-host.h"

G_BEGIN_DECLS

/* A resolver that knows what it is told. */
#define TEST_TYPE_RESOLVER (test_resolver_get_type ())
G_DECLARE_FINAL_TYPE (TestResolver, test_resolver, TEST, RESOLVER, GResolver)
TestResolver *test_resolver_new (void);
/* @addresses: NULL-terminated. The @n-th question is answered with the @n-th set that was given,
 * the last one for ever. */
void test_resolver_add (TestResolver *self, const char *name, const char *const *addresses);
guint test_resolver_count (TestResolver *self, const char *name);

/**
 * Net: a host, a server on it that answers "echo: " and what it was sent, and what one sandbox
 * recorded.
 */
typedef struct
{
  Host *host;
  GSocketService *server;
  guint16 port;
  guint n_served; /* atomic, both */
  guint n_broken; /* of these: reset */
  TestResolver *resolver;
  OcNetPolicy policy;
  OcUses *uses;
  char *probe;
  OcRole role;
} Net;

#define STRV(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* What runs the sandboxes from now on. */
void net_set_executor (OcExecutor executor);
OcExecutor net_get_executor (void);
Net *net_new (void);
void net_free (Net *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Net, net_free)

typedef struct
{
  OcProcess *process;
  OcNetBroker *broker;
  int output;
} NetRun;
void net_run_clear (NetRun *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NetRun, net_run_clear)

/* @argv: absolute, NULL-terminated; "%p" in it is the server's port. Standard output and error are
 * one. FALSE: not started. */
gboolean net_start (
    Net *self, const char *const *hosts, const char *const *argv, NetRun *run, GError **error);
/* Both loops on until what runs inside has ended. (transfer full) */
char *net_finish (NetRun *run, int *exit_code);
/* Until @line is there. */
void net_wait_for_line (NetRun *run, const char *line);
/* All of it, with the probe. (transfer full): the lines */
char **net_probe (Net *self, const char *const *hosts, const char *const *words);
/* "net:localhost:81 connect localhost:81 2": whether there is such a record. */
gboolean net_has_record (
    Net *self, gboolean allowed, const char *permission, const char *method, const char *detail);
guint net_count_records (Net *self, gboolean allowed);
/* One test, for net_add_test(); one of the functions. */
typedef struct
{
  const char *name;
  void (*func) (void);
  void (*data_func) (gconstpointer data);
  gconstpointer data;
} NetTest;
/* With each executor, as "/net/<executor>/<name>". @test must live on. */
void net_add_test (const NetTest *test);
/* Loops until @done says so; asserts that it does within seconds. */
void net_wait (gboolean (*done) (gpointer data), gpointer data);

G_END_DECLS
