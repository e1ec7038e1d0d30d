// Bundles the player with three.js into dist/viewer.js and puts three's licence next to it.
import { copyFile } from "node:fs/promises";
import { build } from "esbuild";

await build({
  entryPoints: ["src/main.js"],
  outfile: "dist/viewer.js",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "inline",
});
await copyFile("node_modules/three/LICENSE", "dist/three.LICENSE.txt");
