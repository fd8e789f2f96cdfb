/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The least that JavaScriptCore does: an engine, a context, one expression. */
#include <jsc/jsc.h>

int
main (void)
{
  g_autoptr (JSCContext) context = jsc_context_new ();
  g_autoptr (JSCValue) value = jsc_context_evaluate (context, "6 * 7", -1);

  return jsc_value_to_int32 (value) == 42 ? 0 : 1;
}
