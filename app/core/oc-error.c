/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-error.h"

G_DEFINE_QUARK (oc-error-quark, oc_error)
