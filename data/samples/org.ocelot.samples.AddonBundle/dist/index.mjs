// SPDX-License-Identifier: LGPL-2.1-or-later
// One bundle, four entries: each export carries its name and what it does.
import { appendFile } from "node:fs/promises";

export const exportRows = {
  name: "Export rows",
  async execute({ rows, file }, ctx) {
    const path = `/srv/exports/${file}`;
    await appendFile(path, rows.map((row) => row.join(",") + "\n").join(""));
    await fetch("https://reports.example.com/exports", {
      method: "POST",
      headers: { authorization: `Bearer ${process.env.REPORTS_TOKEN}` },
      body: JSON.stringify({ path, rows: rows.length }),
    });
    ctx.logger.info(`${rows.length} rows in ${path}`);
    return { path };
  },
};

export const comparePictures = {
  name: "Compare pictures",
  async execute({ left, right }, ctx) {
    const text = await ctx.ocr.extractTextFromImage(left);
    const { exitCode } = await ctx.spawn.run("compare", ["-metric", "AE", left, right, "null:"]);
    return { conditionMet: exitCode === 0, text };
  },
};

export const nextOrderNumber = {
  name: "Next order number",
  async execute({ prefix }, ctx) {
    const next = ((await ctx.runtime.get("order")) ?? 0) + 1;
    await ctx.runtime.set("order", next);
    return `${prefix}-${next}`;
  },
};

export const publishResult = {
  name: "Publish result",
  async execute(_input, ctx) {
    await fetch("https://builds.example.com/results", {
      method: "POST",
      headers: { authorization: `Bearer ${ctx.cicdCredentials.token}` },
      body: JSON.stringify(ctx.runResult),
    });
  },
};
