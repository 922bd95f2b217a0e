// The types of the REST API, from the server's own OpenAPI document. `--check`: fail when the file is stale.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = fileURLToPath(new URL('../src/api/schema.d.ts', import.meta.url));
const local = `${root}.venv/bin/python`;
const python = process.env.PYTHON ?? (existsSync(local) ? local : 'python3');

const document = execFileSync(python, [`${root}tools/web_schema.py`], { encoding: 'utf8', maxBuffer: 2 ** 26 });
const types = astToString(await openapiTS(JSON.parse(document), { defaultNonNullable: false }));
const made = `// Made by \`npm run schema\` from the OpenAPI document: do not edit.\n\n${types}`;

if (!process.argv.includes('--check')) {
  writeFileSync(target, made);
} else if (!existsSync(target) || readFileSync(target, 'utf8') !== made) {
  console.error('src/api/schema.d.ts does not match the server: run `npm run schema` in web/.');
  process.exit(1);
}
