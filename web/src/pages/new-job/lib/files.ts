/** Which of the files that were dropped go along, and which of them is the script. */

import type { ChosenFile } from '../../../lib/files';
import { bytes, plural } from '../../../lib/format';

/** What a submission may bring unless the server's settings say otherwise (upload.max_bytes, upload.max_files). */
export const USUAL_BYTES = 100 * 2 ** 20;
export const USUAL_FILES = 5_000;
const SMALL_BYTES = 2_000_000;
const SMALL_FILES = 100;
const READ_TOGETHER = /\.(py|ya?ml|json|toml)$/i;
const LARGEST_READ = 256 * 1024;
const USUAL_SCRIPTS = ['train.py', 'main.py', 'train.ipynb', 'main.ipynb'];
const PYTHON = /\.(py|ipynb)$/i;
const OTHERS = /\.(sh|bash|r|jl|pl)$/i;

/** The script that is surely meant; null when a person has to choose. */
export function likelyScript(paths: readonly string[]): string | null {
  const usual = USUAL_SCRIPTS.find((name) => paths.includes(name));
  if (usual) return usual;
  const scripts = scriptsOf(paths);
  const top = scripts.filter((path) => !path.includes('/') && (PYTHON.test(path) || scripts.length === 1));
  if (top.length === 1) return top[0] ?? null;
  return scripts.length === 1 ? (scripts[0] ?? null) : null;
}

/** Those at the top first. */
export function scriptsOf(paths: readonly string[]): string[] {
  const depth = (path: string) => path.split('/').length;
  const python = paths.filter((path) => PYTHON.test(path));
  const others = paths.filter((path) => OTHERS.test(path));
  // A file that was dropped alone is the script, whatever it is.
  const found = python.length ? [...python, ...others] : others.length || paths.length > 1 ? others : [...paths];
  return found.sort((a, b) => depth(a) - depth(b) || a.localeCompare(b));
}

export function totalBytes(files: readonly ChosenFile[]): number {
  return files.reduce((sum, { file }) => sum + file.size, 0);
}

/** Said before sending: a large upload that is refused takes its time. */
export function tooLarge(files: readonly ChosenFile[]): string | null {
  const total = totalBytes(files);
  if (files.length > USUAL_FILES)
    return `${plural(files.length, 'file')} are more than the ${plural(USUAL_FILES, 'file')} that a submission may usually have. Leave data and results out with a .paddockignore file.`;
  if (total <= USUAL_BYTES) return null;
  const largest = [...files].sort((a, b) => b.file.size - a.file.size).slice(0, 5);
  const listed = largest.map(({ path, file }) => `${path} (${bytes(file.size)})`).join(', ');
  return `The files are ${bytes(total)}, more than the ${bytes(USUAL_BYTES)} that a submission may usually have. Leave data out with a .paddockignore file and read it from its place. The largest: ${listed}.`;
}

/** A preview reads the script with its modules and configurations: other files are not sent with every change of the
 * form where they are many or large. */
export function forPreview(files: readonly ChosenFile[], script: string | null): readonly ChosenFile[] {
  if (files.length <= SMALL_FILES && totalBytes(files) <= SMALL_BYTES) return files;
  const beside = new Set(besideScript(files, script));
  return files.filter((file) => file.path === script || beside.has(file));
}

/** The files that the server reads together with a script; those nearest to the top first, up to a total size. */
export function besideScript(files: readonly ChosenFile[], script: string | null): ChosenFile[] {
  const depth = (path: string) => path.split('/').length;
  let left = SMALL_BYTES;
  return files
    .filter(({ path, file }) => path !== script && READ_TOGETHER.test(path) && file.size <= LARGEST_READ)
    .sort((a, b) => depth(a.path) - depth(b.path) || a.path.localeCompare(b.path))
    .filter(({ file }) => {
      left -= file.size;
      return left >= 0;
    });
}

/** A look for what is missing reads all modules of the program; of other files it needs the names. */
export function forPreflight(files: readonly ChosenFile[]): ChosenFile[] {
  let left = SMALL_BYTES;
  return files.map((one) => {
    left -= PYTHON.test(one.path) ? one.file.size : 0;
    return PYTHON.test(one.path) && left >= 0 ? one : { path: one.path, file: new File([], 'empty') };
  });
}

/** A notebook without its outputs, which may be large; what is none stays as it is. */
export function withoutOutputs(path: string, text: string): string {
  if (!/\.ipynb$/i.test(path)) return text;
  try {
    const book = JSON.parse(text);
    return JSON.stringify({ ...book, cells: book.cells.map((cell: object) => ({ ...cell, outputs: [] })) });
  } catch {
    return text;
  }
}

/** The files that the server has of an old job. */
export function fromTexts(texts: Record<string, string>): ChosenFile[] {
  return Object.entries(texts).map(([path, text]) => ({ path, file: new File([text], path.split('/').pop() ?? path) }));
}
