/** Which of the files that were dropped go along, and which of them is the script. */

import type { ChosenFile } from '../../../lib/files';
import { bytes, plural } from '../../../lib/format';

/** What a submission may bring unless the server's settings say otherwise (upload.max_bytes, upload.max_files). */
export const USUAL_BYTES = 100 * 2 ** 20;
export const USUAL_FILES = 5_000;
const SMALL_BYTES = 2_000_000;
const SMALL_FILES = 100;
const USUAL_SCRIPTS = ['train.py', 'main.py'];

/** The script that is surely meant; null when a person has to choose. */
export function likelyScript(paths: readonly string[]): string | null {
  const usual = USUAL_SCRIPTS.find((name) => paths.includes(name));
  if (usual) return usual;
  const scripts = scriptsOf(paths);
  const top = scripts.filter((path) => !path.includes('/'));
  if (top.length === 1) return top[0] ?? null;
  return scripts.length === 1 ? (scripts[0] ?? null) : null;
}

/** Those at the top first. */
export function scriptsOf(paths: readonly string[]): string[] {
  const depth = (path: string) => path.split('/').length;
  return paths.filter((path) => path.endsWith('.py')).sort((a, b) => depth(a) - depth(b) || a.localeCompare(b));
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

/** A preview reads the script only: many or large files are not sent along with every change of the form. */
export function forPreview(files: readonly ChosenFile[], script: string | null): readonly ChosenFile[] {
  if (files.length <= SMALL_FILES && totalBytes(files) <= SMALL_BYTES) return files;
  return files.filter(({ path }) => path === script);
}

/** The files that the server has of an old job. */
export function fromTexts(texts: Record<string, string>): ChosenFile[] {
  return Object.entries(texts).map(([path, text]) => ({ path, file: new File([text], path.split('/').pop() ?? path) }));
}
