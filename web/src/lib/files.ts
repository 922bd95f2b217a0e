/** Files that a person dropped or chose: a script, or a folder with all that is in it. */

export interface ChosenFile {
  /** Relative to the folder submitted. */
  path: string;
  file: File;
}

const LEFT_OUT =
  /(^|\/)(\.git|\.hg|\.venv|venv|node_modules|__pycache__|\.ipynb_checkpoints|\.DS_Store|[^/]*\.pyc)(\/|$)/;

export function leftOut(path: string): boolean {
  return LEFT_OUT.test(path);
}

/** Paths relative to the one folder that holds them all, where there is one. */
export function withoutCommonFolder<T extends { path: string }>(files: readonly T[]): T[] {
  const [first] = files;
  const folder = first?.path.includes('/') ? first.path.slice(0, first.path.indexOf('/') + 1) : '';
  if (!folder || !files.every(({ path }) => path.startsWith(folder))) return [...files];
  return files.map((one) => ({ ...one, path: one.path.slice(folder.length) }));
}

/** What an <input type=file>, also with webkitdirectory, gives. */
export function fromInput(list: FileList | readonly File[]): ChosenFile[] {
  const files = Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file }));
  return withoutCommonFolder(files.filter(({ path }) => !leftOut(path)));
}

/** What a drop gives; folders are read. Must be called in the event itself: the list is empty afterwards. */
export async function fromDrop(transfer: DataTransfer): Promise<ChosenFile[]> {
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry?.() ?? null).filter((e) => e !== null);
  if (entries.length === 0) return fromInput(transfer.files);
  const found: ChosenFile[] = [];
  for (const entry of entries) await read(entry, found);
  return withoutCommonFolder(found);
}

async function read(entry: FileSystemEntry, found: ChosenFile[]): Promise<void> {
  const path = entry.fullPath.replace(/^\//, '');
  if (leftOut(path)) return;
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
    found.push({ path, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives a hundred entries at a time, and none at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (part.length === 0) return;
    for (const child of part) await read(child, found);
  }
}
