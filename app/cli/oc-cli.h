/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-catalogue.h"
#include "core/oc-launch.h"
#include "core/oc-registry.h"

G_BEGIN_DECLS

/**
 * OcCliExit:
 *
 * What ocelotctl exits with; the same numbers mean the same as for the launcher (system.md section 8). They are in the manual
 * and scripts rely on them.
 */
typedef enum
{
  OC_CLI_DONE = OC_EXIT_DONE,
  OC_CLI_FAILED = OC_EXIT_ERROR,
  OC_CLI_USAGE = OC_EXIT_USAGE,
  OC_CLI_NO_CONSENT = OC_EXIT_NO_CONSENT,        /* enable: the answer was not yes, or there was nobody to ask */
  OC_CLI_NEEDS_REVIEW = OC_EXIT_NEEDS_REVIEW,    /* enable: what would be granted is not what was named or shown */
  OC_CLI_INVALID = OC_EXIT_INVALID,              /* enable: the manifest is invalid */
  OC_CLI_BLOCKED = OC_EXIT_BLOCKED,              /* enable, doctor: the administrator's policy */
  OC_CLI_CONSENT = OC_EXIT_CONSENT_UNUSABLE,     /* consent locked, damaged or forged */
  OC_CLI_SANDBOX = OC_EXIT_REFUSED,              /* the sandbox does not hold here */
} OcCliExit;

/**
 * OcCli: what every command gets. Lives as long as main().
 */
typedef struct
{
  OcPaths *paths; /* owned */
  OcTools *tools; /* owned */
  gboolean json;
  gboolean allow_root;
} OcCli;

typedef struct _OcCliCommand OcCliCommand;
struct _OcCliCommand
{
  const char *name;
  const char *arguments; /* "ID ENTRY [-- PATH…]" */
  const char *summary;   /* one line; msgid */
  const char *details;   /* (nullable) for the command's own --help; msgid */
  guint min_arguments, max_arguments;
  /* @argv: what follows the command's name, NULL-terminated. Returns an OcCliExit. */
  int (*run) (OcCli *self,
              const OcCliCommand *command,
              char **argv);
};

extern const OcCliCommand oc_cli_list_command;
extern const OcCliCommand oc_cli_show_command;
extern const OcCliCommand oc_cli_review_command;
extern const OcCliCommand oc_cli_enable_command;
extern const OcCliCommand oc_cli_disable_command;
extern const OcCliCommand oc_cli_run_command;
extern const OcCliCommand oc_cli_log_command;
extern const OcCliCommand oc_cli_doctor_command;

/* Parses @argv with @entries and the options that all commands have. @arguments: (out) (transfer full): the rest, as raw
 * bytes. FALSE: the command ends with *@exit_code (wrong usage, or --help was asked for). */
gboolean oc_cli_parse (OcCli *self,
                       const OcCliCommand *command,
                       const GOptionEntry *entries,
                       char **argv,
                       char ***arguments,
                       int *exit_code);
/* Says @message and the usage line on stderr; returns OC_CLI_USAGE. */
int oc_cli_refuse_usage (const OcCliCommand *command,
                         const char *message);
/* Reports @error on stderr (with --json also as an object on stdout) and returns the exit code that fits its code. */
int oc_cli_report_error (OcCli *self,
                         const GError *error);
/* The same for a failure that is not a GError. @remedy: (nullable) */
int oc_cli_report (OcCli *self,
                   int exit_code,
                   const char *message,
                   const char *remedy);

/**
 * OcCliSubject: one plugin with all that its state came from, read once.
 */
typedef struct
{
  OcPlugin *plugin;
  OcConsent *consent;
  OcPolicy *policy;
  OcVerdict *verdict;
} OcCliSubject;
/* Reports on stderr why not, sets *@exit_code and returns NULL where there is no such plugin or something cannot be read. */
OcCliSubject *oc_cli_subject_open (OcCli *self,
                                   const char *id,
                                   int *exit_code);
void oc_cli_subject_free (OcCliSubject *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcCliSubject, oc_cli_subject_free)

/* What enabling @subject would grant, for people; shared by `review` and `enable`. */
void oc_cli_print_review (OcCli *self,
                          OcCliSubject *subject);

G_END_DECLS
