/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-catalogue.h"

G_BEGIN_DECLS

/* Colour only says again what the words say: it is left out where stdout is no terminal, and with NO_COLOR. */
typedef enum
{
  OC_CLI_PLAIN = 0,
  OC_CLI_BOLD,
  OC_CLI_DIM,
  OC_CLI_RED,
  OC_CLI_YELLOW,
  OC_CLI_GREEN,
} OcCliStyle;

/* Columns of the terminal, between 40 and 80; 80 where there is none. */
guint oc_cli_get_columns (void);
/* How many columns @text takes: wide characters two, combining ones none. */
guint oc_cli_text_width (const char *text);
/* @text with the codes of @style around it, where colour is on. (transfer full) */
char *oc_cli_style (OcCliStyle style,
                    const char *text);
OcCliStyle oc_cli_severity_style (OcSeverity severity);

/* Words that are not ours: a bar before each line, and no line that the terminal would break itself, so that they can never
 * be taken for a line of ours, whatever they say. @text: one line, escaped. (transfer full) */
char *oc_cli_quote (const char *indent,
                    const char *text,
                    guint columns);
/* A heading after an empty line. */
void oc_cli_print_heading (const char *text);
/* @text wrapped at spaces to the terminal's columns; the first line begins with @first, the others with as many spaces
 * as @first takes. Line feeds in @text begin a new line. A word that does not fit is not cut. */
void oc_cli_print_wrapped (const char *first,
                           const char *text);
/* The same into a string, for tests. (transfer full) */
char *oc_cli_wrap (const char *first,
                   const char *text,
                   guint columns);
/* "Label:   value", the value wrapped; nothing where @value is NULL. */
void oc_cli_print_field (const char *label,
                         const char *value);
/* A program's output, each line indented; "|" in front, so that it cannot be taken for ours. @text: raw */
void oc_cli_print_foreign (const char *text);

/* "2026-11-30 22:10:05", local time. (transfer full) */
char *oc_cli_format_time (gint64 us);
/* "0.4 s", "3 min 2 s". (transfer full) */
char *oc_cli_format_duration (gint64 us);

/* What was used or refused, for people; most methods are called as they are. (transfer full) */
char *oc_cli_describe_method (const char *method);

G_END_DECLS
