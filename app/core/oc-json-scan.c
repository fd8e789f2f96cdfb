/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-json-scan.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-hash.h"
#include "core/oc-json-token.h"
#include "core/oc-text.h"
#include "core/oc-utf8.h"

/* Up to as many are compared one by one: most objects have few, and two tables for each cost more than reading it. */
#define FEW_KEYS 16
/* How much of a plugin's text an error message repeats. */
#define MAX_SHOWN_CHARS 60

typedef enum
{
  EXPECT_VALUE = 0,
  EXPECT_FIRST_VALUE, /* after '[': a value or ']' */
  EXPECT_FIRST_KEY,   /* after '{': a key or '}' */
  EXPECT_KEY,
  EXPECT_COLON,
  EXPECT_COMMA, /* or the end of the container */
  EXPECT_END,   /* the root is done: only white space */
} Expect;

typedef struct
{
  gboolean is_object;
  JsonNode *node; /* (nullable): borrowed from the tree */
  /* (nullable): made with the first key, kept for the next object as deep. */
  GPtrArray *keys; /* (element-type utf8); the last one is the member that is being read */
  /* (nullable): made when there are more than few, and both empty while there are not. */
  GHashTable *known;  /* (element-type utf8): borrows them */
  GHashTable *hashes; /* how many keys have this g_str_hash() */
} Level;

typedef struct
{
  OcJsonCursor cursor;
  Expect expect;
  guint depth;
  guint deepest;
  Level levels[OC_JSON_MAX_DEPTH];
  GArray *members; /* (nullable) */
  gboolean builds; /* the tree of nodes */
  JsonNode *tree;  /* (nullable): owned */
  char root;
  const char *within; /* (nullable): the root's member in which faults are tolerated */
  char *fault_member; /* owned (nullable): which member of that one the first is in */
  gboolean skipped;   /* the rest of the innermost object, to its bracket */
} Scanner;

/* NUL past the end; there is none before it. */
static char
peek (const Scanner *self)
{
  const OcJsonCursor *cursor = &self->cursor;

  return cursor->at < cursor->len ? cursor->data[cursor->at] : '\0';
}

static void
end_value (Scanner *self)
{
  if (self->depth == 1 && self->members != NULL && self->levels[0].is_object)
    g_array_index (self->members, OcJsonSpan, self->members->len - 1).end = self->cursor.at;
  self->expect = self->depth == 0 ? EXPECT_END : EXPECT_COMMA;
}

/* Takes @node: the value that begins here. */
static void
add_node (Scanner *self,
          JsonNode *node)
{
  const Level *level = self->depth > 0 ? &self->levels[self->depth - 1] : NULL;

  if (level == NULL)
    self->tree = node;
  else if (level->is_object)
    json_object_set_member (json_node_get_object (level->node),
                            level->keys->pdata[level->keys->len - 1], node);
  else
    json_array_add_element (json_node_get_array (level->node), node);
}

static JsonNode *
add_container (Scanner *self,
               gboolean is_object)
{
  JsonNode *node = json_node_new (is_object ? JSON_NODE_OBJECT : JSON_NODE_ARRAY);

  if (is_object)
    json_node_take_object (node, json_object_new ());
  else
    json_node_take_array (node, json_array_new ());
  add_node (self, node);
  return node;
}

/* A number or a word, which has been found to be well-formed. */
static void
add_plain (Scanner *self,
           gsize start)
{
  const char *text = self->cursor.data + start;
  gsize len = self->cursor.at - start;
  JsonNode *node = json_node_alloc ();
  gint64 value = 0;

  if (text[0] == 't' || text[0] == 'f')
    json_node_init_boolean (node, text[0] == 't');
  else if (text[0] == 'n')
    json_node_init_null (node);
  else if (oc_json_read_integer (text, len, &value))
    json_node_init_int (node, value);
  else
    {
      g_autofree char *number = g_strndup (text, len);

      json_node_init_double (node, g_ascii_strtod (number, NULL));
    }
  add_node (self, node);
}

/* Past the brackets that are open, unseen: to the one that closes the outermost, not past it. */
static gboolean
skip_to_end (Scanner *self,
             guint n_open,
             GError **error)
{
  OcJsonCursor *cursor = &self->cursor;

  for (;;)
    switch (peek (self))
      {
      case '\0':
        return oc_json_set_unexpected (cursor, _("a comma or }"), error);
      case '"':
        if (!oc_json_scan_string (cursor, error))
          return FALSE;
        break;
      case '[':
      case '{':
        n_open++;
        cursor->at++;
        break;
      case ']':
      case '}':
        if (--n_open == 0)
          return TRUE;
        cursor->at++;
        break;
      default:
        cursor->at++;
        break;
      }
}

static gboolean
skip_rest (Scanner *self,
           GError **error)
{
  self->skipped = skip_to_end (self, 1, error);
  return self->skipped;
}

static gboolean
skip_container (Scanner *self,
                GError **error)
{
  if (!oc_json_pass_over (&self->cursor, self->cursor.at, error,
                          _("more than %d lists and objects inside each other"),
                          OC_JSON_MAX_DEPTH)
      || !skip_to_end (self, 0, error))
    return FALSE;
  self->cursor.at++;
  if (self->builds)
    add_node (self, json_node_new (JSON_NODE_NULL));
  end_value (self);
  return TRUE;
}

static gboolean
open_container (Scanner *self,
                gboolean is_object,
                GError **error)
{
  if (self->depth == OC_JSON_MAX_DEPTH)
    return skip_container (self, error);

  self->levels[self->depth].is_object = is_object;
  self->levels[self->depth].node = self->builds ? add_container (self, is_object) : NULL;
  self->depth++;
  self->deepest = MAX (self->deepest, self->depth);
  self->cursor.at++;
  self->expect = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_VALUE;
  return TRUE;
}

static void
close_container (Scanner *self)
{
  Level *level = &self->levels[self->depth - 1];

  if (level->known != NULL && g_hash_table_size (level->known) > 0)
    {
      g_hash_table_remove_all (level->known);
      g_hash_table_remove_all (level->hashes);
    }
  if (level->keys != NULL)
    g_ptr_array_set_size (level->keys, 0);
  self->depth--;
  self->cursor.at++;
  end_value (self);
}

static gboolean
scan_value (Scanner *self,
            GError **error)
{
  gsize start = self->cursor.at;
  char c = peek (self);

  if (self->depth == 0)
    self->root = c;
  if (self->depth == 1 && self->members != NULL && self->levels[0].is_object)
    g_array_index (self->members, OcJsonSpan, self->members->len - 1).start = self->cursor.at;

  if (c == '{' || c == '[')
    return open_container (self, c == '{', error);

  if (c == '"')
    {
      if (!oc_json_scan_string (&self->cursor, error))
        return FALSE;
      if (self->builds)
        add_node (self, json_node_init_string (json_node_alloc (), self->cursor.string->str));
    }
  else if (c == '-' || g_ascii_isdigit (c))
    {
      if (!oc_json_scan_number (&self->cursor, error))
        return FALSE;
      if (self->builds)
        add_plain (self, start);
    }
  else if (g_ascii_isalpha (c))
    {
      if (!oc_json_scan_word (&self->cursor, error))
        return FALSE;
      if (self->builds)
        add_plain (self, start);
    }
  else
    return oc_json_set_unexpected (&self->cursor, _("a value"), error);

  end_value (self);
  return TRUE;
}

/* FALSE: it is there already. */
static gboolean
remember_key (Level *level,
              const char *key)
{
  if (level->keys->len <= FEW_KEYS)
    {
      for (guint i = 0; i + 1 < level->keys->len; i++)
        if (strcmp (level->keys->pdata[i], key) == 0)
          return FALSE;
      return TRUE;
    }
  if (level->known == NULL)
    {
      level->known = g_hash_table_new (oc_hash_string, g_str_equal);
      level->hashes = g_hash_table_new (NULL, NULL);
    }
  /* Those that came before there were many. */
  for (guint i = g_hash_table_size (level->known); i + 1 < level->keys->len; i++)
    g_hash_table_add (level->known, level->keys->pdata[i]);
  return g_hash_table_add (level->known, (gpointer) key);
}

/* Takes @key. @start: where it begins. Of an object with more keys than are taken the rest is passed over. */
static gboolean
add_key (Scanner *self,
         char *key,
         gsize start,
         GError **error)
{
  Level *level = &self->levels[self->depth - 1];
  gpointer hash;
  guint n_alike;

  if (level->keys == NULL)
    level->keys = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (level->keys, key);
  if (!remember_key (level, key))
    {
      g_autofree char *shown = oc_text_escape (self->cursor.string->str, MAX_SHOWN_CHARS, NULL);

      return oc_json_set_error_at (
          &self->cursor, start, error,
          /* Translators: %s is the name of a member in a JSON file. */
          _("the key “%s” is there twice in the same object; keep one of the two"), shown);
    }
  if (level->keys->len > OC_JSON_MAX_KEYS)
    return oc_json_pass_over (&self->cursor, start, error,
                              _("more than %d keys in the same object"), OC_JSON_MAX_KEYS)
           && skip_rest (self, error);
  if (level->keys->len <= FEW_KEYS)
    return TRUE;

  hash = GUINT_TO_POINTER (g_str_hash (key));
  n_alike = GPOINTER_TO_UINT (g_hash_table_lookup (level->hashes, hash)) + 1;
  if (n_alike > OC_JSON_MAX_ALIKE_KEYS)
    return oc_json_pass_over (&self->cursor, start, error,
                              _("the keys of this object are made to keep a reader busy"))
           && skip_rest (self, error);
  g_hash_table_insert (level->hashes, hash, GUINT_TO_POINTER (n_alike));
  return TRUE;
}

static gboolean
scan_key (Scanner *self,
          GError **error)
{
  gsize start = self->cursor.at;

  if (peek (self) != '"')
    return oc_json_set_unexpected (&self->cursor, _("a key in \""), error);
  if (!oc_json_scan_string (&self->cursor, error)
      || !add_key (self, g_strndup (self->cursor.string->str, self->cursor.string->len), start,
                   error))
    return FALSE;
  if (self->skipped)
    {
      self->skipped = FALSE;
      close_container (self);
      return TRUE;
    }

  if (self->depth == 1 && self->members != NULL)
    {
      OcJsonSpan span = { .key = g_strdup (self->cursor.string->str) };

      g_array_append_val (self->members, span);
    }
  self->expect = EXPECT_COLON;
  return TRUE;
}

static gboolean
scan_comma (Scanner *self,
            GError **error)
{
  gboolean is_object = self->levels[self->depth - 1].is_object;
  char c = peek (self);

  if (c == (is_object ? '}' : ']'))
    {
      close_container (self);
      return TRUE;
    }
  if (c != ',')
    return oc_json_set_unexpected (&self->cursor,
                                   is_object ? _("a comma or }") : _("a comma or ]"), error);

  self->cursor.at++;
  oc_json_skip_space (&self->cursor);
  c = peek (self);
  if (c == '}' || c == ']')
    return oc_json_set_error_at (&self->cursor, self->cursor.at, error,
                                 _("a comma stands before this bracket; remove the comma"));
  self->expect = is_object ? EXPECT_KEY : EXPECT_VALUE;
  return TRUE;
}

/* One token. self->expect says what may come; nothing recurses, so depth costs no stack. */
static gboolean
scan_token (Scanner *self,
            GError **error)
{
  char c = peek (self);

  switch (self->expect)
    {
    case EXPECT_FIRST_VALUE:
      if (c == ']')
        {
          close_container (self);
          return TRUE;
        }
      return scan_value (self, error);
    case EXPECT_VALUE:
      return scan_value (self, error);
    case EXPECT_FIRST_KEY:
      if (c == '}')
        {
          close_container (self);
          return TRUE;
        }
      return scan_key (self, error);
    case EXPECT_KEY:
      return scan_key (self, error);
    case EXPECT_COLON:
      if (c != ':')
        return oc_json_set_unexpected (&self->cursor, _("a colon"), error);
      self->cursor.at++;
      self->expect = EXPECT_VALUE;
      return TRUE;
    case EXPECT_COMMA:
      return scan_comma (self, error);
    case EXPECT_END:
      if (c == '/' || c == '#')
        return oc_json_set_unexpected (&self->cursor, _("the end of the file"), error);
      return oc_json_set_error_at (&self->cursor, self->cursor.at, error,
                                   _("there is more after the end of the JSON value; remove it"));
    }

  g_assert_not_reached ();
}

/* What can be said of the bytes before any of them means something. */
static gboolean
check_bytes (const OcJsonCursor *self,
             gsize max_bytes,
             GError **error)
{
  const char *nul;
  gsize valid;

  if (self->len > max_bytes)
    {
      g_autofree char *limit = g_format_size (max_bytes);

      /* Translators: %s is a size, such as “1.0 MB”. */
      return oc_json_set_error_at (self, 0, error,
                                   _("the file is larger than the %s that are read"), limit);
    }

  nul = self->len > 0 ? memchr (self->data, '\0', self->len) : NULL;
  if (nul != NULL)
    return oc_json_set_error_at (self, (gsize) (nul - self->data), error,
                                 _("a NUL byte; this is no text file"));
  if (!oc_utf8_check (self->data, self->len, &valid))
    return oc_json_set_error_at (self, valid, error,
                                 _("this is not UTF-8; save the file as UTF-8"));
  if (self->len >= 3 && memcmp (self->data, "\xef\xbb\xbf", 3) == 0)
    return oc_json_set_error_at (
        self, 0, error,
        _("the file begins with a byte order mark; save it as UTF-8 without one"));
  return TRUE;
}

static const char *
get_key (const Scanner *self,
         guint depth)
{
  const Level *level = &self->levels[depth];

  if (depth >= self->depth || !level->is_object || level->keys == NULL || level->keys->len == 0)
    return NULL;
  return level->keys->pdata[level->keys->len - 1];
}

static gboolean
scan_next (Scanner *self,
           GError **error)
{
  gboolean had_fault = self->cursor.fault != NULL;
  gboolean good;

  if (self->within == NULL)
    return scan_token (self, error);
  self->cursor.tolerates = g_strcmp0 (get_key (self, 0), self->within) == 0;
  good = scan_token (self, error);
  if (!had_fault && self->cursor.fault != NULL)
    self->fault_member = g_strdup (get_key (self, 1));
  return good;
}

static gboolean
run (Scanner *self,
     gsize max_bytes,
     GError **error)
{
  gboolean good = check_bytes (&self->cursor, max_bytes > 0 ? max_bytes : OC_JSON_MAX_BYTES, error);

  if (good)
    {
      self->cursor.string = g_string_new (NULL);
      oc_json_skip_space (&self->cursor);
      if (self->cursor.at == self->cursor.len)
        good = oc_json_set_error_at (&self->cursor, 0, error, _("the file is empty"));
      while (good && (self->expect != EXPECT_END || self->cursor.at < self->cursor.len))
        {
          good = scan_next (self, error);
          oc_json_skip_space (&self->cursor);
        }
      g_string_free (self->cursor.string, TRUE);
    }

  for (gsize i = 0; i < self->deepest; i++)
    {
      g_clear_pointer (&self->levels[i].known, g_hash_table_unref);
      g_clear_pointer (&self->levels[i].hashes, g_hash_table_unref);
      g_clear_pointer (&self->levels[i].keys, g_ptr_array_unref);
    }
  return good;
}

gboolean
oc_json_scan (const char *data,
              gsize len,
              gsize max_bytes,
              GArray *members,
              char *root,
              GError **error)
{
  /* Empty bytes may well be NULL (g_bytes_get_data()). */
  Scanner self = { .cursor = { .data = data != NULL ? data : "", .len = len },
                   .members = members };

  g_return_val_if_fail (data != NULL || len == 0, FALSE);

  if (!run (&self, max_bytes, error))
    return FALSE;
  if (root != NULL)
    *root = self.root;
  return TRUE;
}

JsonNode *
oc_json_scan_tree (const char *data,
                   gsize len,
                   gsize max_bytes,
                   GError **error)
{
  Scanner self = { .cursor = { .data = data != NULL ? data : "", .len = len },
                   .builds = TRUE };

  g_return_val_if_fail (data != NULL || len == 0, NULL);

  if (run (&self, max_bytes, error))
    return self.tree;
  g_clear_pointer (&self.tree, json_node_unref);
  return NULL;
}

JsonNode *
oc_json_scan_tree_within (const char *data,
                          gsize len,
                          gsize max_bytes,
                          const char *within,
                          OcJsonFault **fault,
                          GError **error)
{
  Scanner self = { .cursor = { .data = data != NULL ? data : "", .len = len },
                   .builds = TRUE,
                   .within = within };
  gboolean good;

  g_return_val_if_fail ((data != NULL || len == 0) && within != NULL, NULL);

  good = run (&self, max_bytes, error);
  if (good && self.cursor.fault != NULL)
    {
      *fault = g_new0 (OcJsonFault, 1);
      (*fault)->member = g_steal_pointer (&self.fault_member);
      (*fault)->message = g_strdup (self.cursor.fault->message);
    }
  g_clear_error (&self.cursor.fault);
  g_free (self.fault_member);
  if (!good)
    g_clear_pointer (&self.tree, json_node_unref);
  return self.tree;
}
