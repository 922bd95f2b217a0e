import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SRC = join(process.cwd(), 'src');
const STYLES = join(process.cwd(), 'node_modules/@mantine/core/styles');

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.includes('.test.'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

it('has the styles of every component that is imported', () => {
  const loaded = readFileSync(join(SRC, 'theme/mantine.ts'), 'utf8');
  const used = new Set<string>();
  for (const text of sources(SRC)) {
    for (const [, names = ''] of text.matchAll(/import\s*\{([^}]*)\}\s*from '@mantine\/core'/g)) {
      for (const name of names.split(','))
        used.add(
          name
            .replace(/^\s*type\s/, '')
            .trim()
            .split(' ')[0] ?? '',
        );
    }
  }
  const missing = [...used].filter(
    (name) => existsSync(join(STYLES, `${name}.css`)) && !loaded.includes(`/${name}.css`),
  );
  expect(missing, 'add them to src/theme/mantine.ts').toEqual([]);
});
