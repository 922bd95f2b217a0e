// What a browser loads before the dashboard shows: the entry and the page of `/`, with all that they import.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const LIMIT = 300_000;
const dist = fileURLToPath(new URL('../../src/paddock/web_dist/', import.meta.url));
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'));
const files = new Set();

function add(key) {
  const chunk = manifest[key];
  if (!chunk || files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const css of chunk.css ?? []) files.add(css);
  for (const imported of chunk.imports ?? []) add(imported);
}

add('index.html');
add('src/pages/jobs/JobsPage.tsx');
let total = 0;
for (const file of files) {
  const bytes = gzipSync(readFileSync(dist + file)).length;
  total += bytes;
  console.log(`${(bytes / 1000).toFixed(1).padStart(8)} kB  ${file}`);
}
console.log(`${(total / 1000).toFixed(1).padStart(8)} kB  in all, gzipped; at most ${LIMIT / 1000} kB`);
process.exit(total > LIMIT ? 1 : 0);
