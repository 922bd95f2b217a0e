/** Which files of a folder stay behind: as the command line has it (src/paddock/ignore.py). */

const DEFAULTS = [
  '.git',
  '.hg',
  '.svn',
  '__pycache__/',
  '*.pyc',
  '.venv/',
  'venv/',
  'node_modules/',
  '.ipynb_checkpoints/',
  '.DS_Store',
  '.mypy_cache/',
  '.pytest_cache/',
  '.ruff_cache/',
];
/** A later one may take back what an earlier one says. */
export const IGNORE_FILES = ['.gitignore', '.paddockignore'];

interface Pattern {
  regex: RegExp;
  negated: boolean;
  foldersOnly: boolean;
}

/** Whether a file stays behind: it or a folder that it is in is ignored; the last pattern that matches decides. */
export function ignoring(lines: readonly string[]): (path: string) => boolean {
  const patterns = [...DEFAULTS, ...lines]
    .map(parse)
    .filter((one) => one !== null)
    .reverse();
  const asked = new Map<string, boolean>();
  const ignored = (path: string, folder: boolean) => {
    const decides = patterns.find(({ regex, foldersOnly }) => (folder || !foldersOnly) && regex.test(path));
    return decides !== undefined && !decides.negated;
  };
  const folderIgnored = (path: string): boolean => {
    const known = asked.get(path);
    if (known !== undefined) return known;
    const parent = path.includes('/') && folderIgnored(path.slice(0, path.lastIndexOf('/')));
    const answer = parent || ignored(path, true);
    asked.set(path, answer);
    return answer;
  };
  return (path) => (path.includes('/') && folderIgnored(path.slice(0, path.lastIndexOf('/')))) || ignored(path, false);
}

/** null for comments and blank lines. */
function parse(line: string): Pattern | null {
  let text = line.replace(/[\r\n]+$/, '').replace(/(?<!\\)[ \t]+$/, '');
  if (!text || text.startsWith('#')) return null;
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const foldersOnly = text.endsWith('/');
  text = text.replace(/\/+$/, '');
  if (!text) return null;
  // A slash anywhere but at the end ties the pattern to the top; without one it matches at any depth.
  const prefix = text.includes('/') ? '' : '(?:.*/)?';
  try {
    return { regex: new RegExp(`^${prefix}${regexOf(text.replace(/^\/+/, ''))}$`, 's'), negated, foldersOnly };
  } catch {
    return null;
  }
}

function regexOf(text: string): string {
  let out = '';
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    const begins = at === 0 || text[at - 1] === '/';
    const group = char === '[' ? /^\[([!^]?)(\]?[^\]]*)\]/.exec(text.slice(at)) : null;
    if (begins && text.startsWith('**/', at)) [out, at] = [`${out}(?:.*/)?`, at + 3];
    else if (begins && text.startsWith('**', at) && at + 2 === text.length) [out, at] = [`${out}.+`, at + 2];
    else if (char === '*') [out, at] = [`${out}[^/]*`, at + 1];
    else if (char === '?') [out, at] = [`${out}[^/]`, at + 1];
    else if (group) {
      const inner = (group[2] ?? '').replaceAll(/[\\[\]]/g, '\\$&');
      [out, at] = [`${out}(?!/)[${group[1] ? '^' : ''}${inner}]`, at + group[0].length];
    } else if (char === '\\' && at + 1 < text.length) [out, at] = [out + escaped(text[at + 1] as string), at + 2];
    else [out, at] = [out + escaped(char), at + 1];
  }
  return out;
}

function escaped(char: string): string {
  return char.replace(/[.*+?^${}()|[\]\\/-]/, '\\$&');
}
