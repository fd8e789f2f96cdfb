/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Framing and messages, fed in every way that a pipe can deliver them. */
#include <string.h>

#include "core/oc-error.h"
#include "launcher/oc-rpc-message.h"
#include "launcher/oc-rpc.h"

static char *
next_text (OcRpcReader *reader,
           GError **error)
{
  g_autoptr (GBytes) body = NULL;
  gsize len;
  const char *data;

  if (!oc_rpc_reader_next (reader, &body, error) || body == NULL)
    return NULL;
  data = g_bytes_get_data (body, &len);
  return g_strndup (data, len);
}

static const char two[] = "Content-Length: 5\r\n\r\nhello"
                          "content-type: application/json\r\nCONTENT-LENGTH:3\r\n\r\nyou";

static void
assert_two (OcRpcReader *reader,
            GPtrArray *got)
{
  g_assert_cmpuint (got->len, ==, 2);
  g_assert_cmpstr (got->pdata[0], ==, "hello");
  g_assert_cmpstr (got->pdata[1], ==, "you");
  g_assert_false (oc_rpc_reader_is_amid (reader));
}

/* Cut at every place, and byte by byte. */
static void
test_frames_in_pieces (void)
{
  gsize len = strlen (two);

  for (gsize step = 1; step <= len; step++)
    {
      g_autoptr (OcRpcReader) reader = oc_rpc_reader_new ();
      g_autoptr (GPtrArray) got = g_ptr_array_new_with_free_func (g_free);

      for (gsize at = 0; at < len; at += step)
        {
          g_autoptr (GError) error = NULL;
          char *text;

          oc_rpc_reader_feed (reader, two + at, MIN (step, len - at));
          while ((text = next_text (reader, &error)) != NULL)
            g_ptr_array_add (got, text);
          g_assert_no_error (error);
        }
      assert_two (reader, got);
    }
}

static void
test_limits (void)
{
  g_autofree char *header = g_strdup_printf ("Content-Length: %d\r\n\r\n", OC_RPC_MAX_MESSAGE);
  g_autofree char *over = g_strdup_printf ("Content-Length: %d\r\n\r\n", OC_RPC_MAX_MESSAGE + 1);
  g_autofree char *body = g_strnfill (OC_RPC_MAX_MESSAGE, 'x');
  g_autoptr (OcRpcReader) reader = oc_rpc_reader_new ();
  g_autoptr (OcRpcReader) refused = oc_rpc_reader_new ();
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) again = NULL;

  oc_rpc_reader_feed (reader, header, strlen (header));
  g_assert_null (next_text (reader, &error));
  g_assert_no_error (error);
  oc_rpc_reader_feed (reader, body, OC_RPC_MAX_MESSAGE);
  text = next_text (reader, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (strlen (text), ==, OC_RPC_MAX_MESSAGE);

  oc_rpc_reader_feed (refused, over, strlen (over));
  g_assert_null (next_text (refused, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  /* Broken for good: what follows is not read as a new message. */
  oc_rpc_reader_feed (refused, two, strlen (two));
  g_assert_null (next_text (refused, &again));
  g_assert_error (again, OC_ERROR, OC_ERROR_INVALID);
}

static void
test_broken_framing (void)
{
  static const char *const bad[] = {
    "GET / HTTP/1.1\r\n\r\n",
    "\r\n\r\n",
    "Content-Length: \r\n\r\n",
    "Content-Length:  5\r\n\r\n",
    "Content-Length: +5\r\n\r\n",
    "Content-Length: 0x5\r\n\r\n",
    "Content-Length: 5 \r\n\r\n",
    "Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
    "Content-Length: 99999999999\r\n\r\n",
    "Content-Length: 0\r\n\r\n",
    "Content-Length : 5\r\n\r\n",
    "Content-Length: 5\n\nhello\r\n\r\n",
    "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\n",
    "Content-Type: x\r\n\r\n",
    "Content-Length: 5\r\nX: y\r\n\r\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (OcRpcReader) reader = oc_rpc_reader_new ();
      g_autoptr (GError) error = NULL;

      oc_rpc_reader_feed (reader, bad[i], strlen (bad[i]));
      g_assert_null (next_text (reader, &error));
      g_test_message ("%s", error ? error->message : bad[i]);
      g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
    }
}

/* Each cut of a good conversation waits for more; it never breaks and never gives out half a message. */
static void
test_cut_waits (void)
{
  for (gsize len = 0; len < strlen (two); len++)
    {
      g_autoptr (OcRpcReader) reader = oc_rpc_reader_new ();
      g_autoptr (GError) error = NULL;
      g_autofree char *first = NULL;
      g_autofree char *second = NULL;

      oc_rpc_reader_feed (reader, two, len);
      first = next_text (reader, &error);
      g_assert_no_error (error);
      second = next_text (reader, &error);
      g_assert_no_error (error);
      g_assert_null (second);
    }
}

/* No byte that is changed makes the reader hand out what was not framed as such, or read past its buffer. */
static void
test_changed_bytes (void)
{
  gsize len = strlen (two);

  for (gsize at = 0; at < len; at++)
    for (guint byte = 0; byte < 256; byte++)
      {
        g_autoptr (OcRpcReader) reader = oc_rpc_reader_new ();
        char changed[sizeof two];
        char *text;

        memcpy (changed, two, sizeof two);
        changed[at] = (char) byte;
        oc_rpc_reader_feed (reader, changed, len);
        while ((text = next_text (reader, NULL)) != NULL)
          {
            g_assert_cmpuint (strlen (text), <=, len);
            g_free (text);
          }
      }
}

static OcRpcMessage *
parse (const char *text,
       GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return oc_rpc_message_parse (bytes, error);
}

static void
test_messages (void)
{
  g_autoptr (OcRpcMessage) request = parse ("{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"method\":\"m\",\"params\":{\"x\":1}}", NULL);
  g_autoptr (OcRpcMessage) notification = parse ("{\"method\":\"log\",\"jsonrpc\":\"2.0\"}", NULL);
  g_autoptr (OcRpcMessage) result = parse ("{\"jsonrpc\":\"2.0\",\"id\":-7,\"result\": [0.10, null] }", NULL);
  g_autoptr (OcRpcMessage) failed = parse ("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"no\"}}", NULL);
  g_autofree char *text = NULL;

  g_assert_cmpint (request->kind, ==, OC_RPC_REQUEST);
  g_assert_cmpstr (request->id, ==, "\"a\\\"b\"");
  g_assert_cmpstr (request->method, ==, "m");
  g_assert_true (JSON_NODE_HOLDS_OBJECT (request->params));
  g_assert_cmpint (notification->kind, ==, OC_RPC_NOTIFICATION);
  g_assert_null (notification->id);
  g_assert_cmpint (result->kind, ==, OC_RPC_RESPONSE);
  g_assert_cmpstr (result->id, ==, "-7");
  text = oc_rpc_message_dup_result_text (result);
  g_assert_cmpstr (text, ==, "[0.10, null]");
  g_assert_cmpint (failed->kind, ==, OC_RPC_RESPONSE);
  g_assert_nonnull (failed->error);
}

/* What we write is strict JSON, whatever stands in it, and its id is the worker's. */
static void
test_frames_are_strict (void)
{
  static const char *const ids[] = { "7", "-9007199254740991", "\"a\"", "\"\\u001f \\\"\"" };
  static const char hostile[] = "\x1f\x1b\" \\ \xff \xc3\xa4\n";

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autofree char *sent = g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"m\"}", ids[i]);
      g_autoptr (OcRpcMessage) call = parse (sent, NULL);
      g_autoptr (JsonNode) value = json_node_init_string (json_node_alloc (), hostile);
      GBytes *frames[] = { oc_rpc_make_result (call->id, value), oc_rpc_make_result (call->id, NULL),
                                      oc_rpc_make_result_text (call->id, "[1]"), oc_rpc_make_error (call->id, -1, hostile, value) };

      for (gsize n = 0; n < G_N_ELEMENTS (frames); n++)
        {
          g_autoptr (OcRpcReader) reader = oc_rpc_reader_new ();
          g_autoptr (GBytes) body = NULL;
          g_autoptr (GError) error = NULL;
          g_autoptr (OcRpcMessage) answer = NULL;

          oc_rpc_reader_feed (reader, g_bytes_get_data (frames[n], NULL), g_bytes_get_size (frames[n]));
          g_assert_true (oc_rpc_reader_next (reader, &body, &error));
          g_assert_nonnull (body);
          g_assert_false (oc_rpc_reader_is_amid (reader));
          answer = oc_rpc_message_parse (body, &error);
          g_assert_no_error (error);
          g_assert_cmpstr (answer->id, ==, ids[i]);
          if (n == 0)
            g_assert_cmpstr (json_node_get_string (answer->result), ==, "\x1f\x1b\" \\ \xef\xbf\xbd \xc3\xa4\n");
          g_clear_pointer (&frames[n], g_bytes_unref);
        }
    }
}

static void
test_broken_messages (void)
{
  static const char *const bad[] = {
    "",
    "null",
    "[]",
    "{}",
    "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":1}",
    "{\"jsonrpc\":2.0,\"id\":1,\"result\":1}",
    "{\"jsonrpc\":\"2.0\",\"id\":1}",
    "{\"jsonrpc\":\"2.0\",\"result\":1}",
    "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":1}",
    "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"m\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"result\":5}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":5}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":5}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1.5,\"message\":\"\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1} x",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"result\":2}",
  };
  g_autofree char *long_id = g_strnfill (OC_RPC_MAX_ID_BYTES + 1, 'i');
  g_autofree char *long_text = g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"m\"}", long_id);
  g_autoptr (GError) long_error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse (bad[i], &error));
      g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
    }
  g_assert_null (parse (long_text, &long_error));
  g_assert_error (long_error, OC_ERROR, OC_ERROR_INVALID);
}

/* JSON, but not what is taken: a call hears which parameter it was, and everything else in it holds. The same of an answer. */
static void
test_faults (void)
{
  g_autoptr (OcRpcMessage) call = parse ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":{\"a\":\"\\udcff\",\"b\":2}}", NULL);
  g_autoptr (OcRpcMessage) good = parse ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":{\"a\":\"\"}}", NULL);
  g_autoptr (OcRpcMessage) answer = parse ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\"\\u0000\"]}", NULL);
  static const char *const bad[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0000\",\"result\":\"\\u0000\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\\u0000\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":\"\\u0000\"},\"result\":\"\\u0000\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"result\":\"\\u0000\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"params\":\"\\u0000\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0000\",\"method\":\"m\",\"params\":{}}",
    "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"m\",\"params\":{}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\\u0000\",\"params\":{}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":\"\\u0000\"},\"x\":}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":\"\\u0000\",\"a\":1}}",
  };

  g_assert_nonnull (answer->fault);
  g_assert_cmpint (answer->kind, ==, OC_RPC_RESPONSE);
  g_assert_nonnull (call->fault);
  g_assert_cmpstr (call->fault->member, ==, "a");
  g_assert_cmpstr (call->id, ==, "7");
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (call->params), "b"), ==, 2);
  g_assert_null (good->fault);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", bad[i]);
      g_assert_null (parse (bad[i], &error));
      g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
    }
}

static void
test_exceptions (void)
{
  static const struct
  {
    const char *error;
    gboolean is_exception;
  } cases[] = {
    { "\"code\":-32603", TRUE },
    { "\"code\":-32603,\"data\":{\"uncaught\":false}", TRUE },
    { "\"code\":1,\"data\":{\"uncaught\":true}", TRUE },
    { "\"code\":0,\"data\":{\"uncaught\":true,\"stack\":[]}", TRUE },
    { "\"code\":-32001,\"data\":{\"uncaught\":true}", FALSE },
    { "\"code\":1", FALSE },
    { "\"code\":1,\"data\":null", FALSE },
    { "\"code\":1,\"data\":[true]", FALSE },
    { "\"code\":1,\"data\":\"uncaught\"", FALSE },
    { "\"code\":1,\"data\":{}", FALSE },
    { "\"code\":1,\"data\":{\"uncaught\":null}", FALSE },
    { "\"code\":1,\"data\":{\"uncaught\":{}}", FALSE },
    { "\"code\":1,\"data\":{\"uncaught\":[true]}", FALSE },
    { "\"code\":1,\"data\":{\"uncaught\":\"true\"}", FALSE },
    { "\"code\":-32602", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":\"x\",%s}}", cases[i].error);
      g_autoptr (OcRpcMessage) message = parse (text, NULL);

      g_test_message ("%s", cases[i].error);
      g_assert_cmpint (oc_rpc_message_is_exception (message), ==, cases[i].is_exception);
    }
}

static void
test_made_messages (void)
{
  g_autoptr (JsonNode) value = json_node_init_string (json_node_alloc (), "a\"\n\x01ü");
  g_autoptr (GBytes) made = oc_rpc_make_result ("\"id\"", value);
  g_autoptr (GBytes) failed = oc_rpc_make_error ("5", -32601, "no \"x\"", NULL);
  g_autoptr (OcRpcReader) reader = oc_rpc_reader_new ();
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autoptr (OcRpcMessage) one = NULL;
  g_autoptr (OcRpcMessage) two_ = NULL;

  oc_rpc_reader_feed (reader, g_bytes_get_data (made, NULL), g_bytes_get_size (made));
  oc_rpc_reader_feed (reader, g_bytes_get_data (failed, NULL), g_bytes_get_size (failed));
  first = next_text (reader, NULL);
  second = next_text (reader, NULL);
  one = parse (first, NULL);
  two_ = parse (second, NULL);
  g_assert_cmpstr (json_node_get_string (one->result), ==, "a\"\n\x01ü");
  g_assert_cmpstr (one->id, ==, "\"id\"");
  g_assert_cmpstr (json_object_get_string_member (two_->error, "message"), ==, "no \"x\"");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rpc/frames-in-pieces", test_frames_in_pieces);
  g_test_add_func ("/rpc/limits", test_limits);
  g_test_add_func ("/rpc/broken-framing", test_broken_framing);
  g_test_add_func ("/rpc/cut-waits", test_cut_waits);
  g_test_add_func ("/rpc/changed-bytes", test_changed_bytes);
  g_test_add_func ("/rpc/messages", test_messages);
  g_test_add_func ("/rpc/frames-are-strict", test_frames_are_strict);
  g_test_add_func ("/rpc/broken-messages", test_broken_messages);
  g_test_add_func ("/rpc/faults", test_faults);
  g_test_add_func ("/rpc/exceptions", test_exceptions);
  g_test_add_func ("/rpc/made-messages", test_made_messages);
  return g_test_run ();
}
