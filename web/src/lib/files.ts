/** Files that a person dropped or chose: a script, or a folder with all that is in it. */

export interface ChosenFile {
  /** Relative to the folder submitted. */
  path: string;
  file: File;
}

export interface Taken {
  files: ChosenFile[];
  /** How many files, or folders with all that is in them, a submission leaves out. */
  ignored: number;
  /** Gives one of the files that are left out. */
  find: FindLeftOut;
}

export type FindLeftOut = (path: string) => Promise<ChosenFile | null>;

/** Asks the server which of these paths a submission leaves out; those of folders end with a slash. */
export type AskLeftOut = (names: string[], ignoreFiles: Record<string, string>) => Promise<readonly string[]>;

const IGNORE_FILE = /(^|\/)\.(git|paddock)ignore$/;

/** Paths relative to the one folder that holds them all, where there is one. */
export function withoutCommonFolder<T extends { path: string }>(files: readonly T[]): T[] {
  const [first] = files;
  const folder = first?.path.includes('/') ? first.path.slice(0, first.path.indexOf('/') + 1) : '';
  if (!folder || !files.every(({ path }) => path.startsWith(folder))) return [...files];
  return files.map((one) => ({ ...one, path: one.path.slice(folder.length) }));
}

/** What an <input type=file>, also with webkitdirectory, gives. */
export function fromInput(list: FileList | readonly File[], ask: AskLeftOut): Promise<Taken> {
  const files = Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file }));
  return taken(withoutCommonFolder(files), [], ask);
}

/** What a drop gives; folders are read. Must be called in the event itself: the list is empty afterwards. */
export async function fromDrop(transfer: DataTransfer, ask: AskLeftOut): Promise<Taken> {
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry?.() ?? null).filter((e) => e !== null);
  if (entries.length === 0) return fromInput(transfer.files, ask);
  const [only] = entries;
  const root = only && entries.length === 1 && !only.isFile ? only : null;
  const top = root ? await childrenOf(root) : entries;
  const nameOf = ({ fullPath, isFile }: FileSystemEntry) =>
    fullPath.slice((root?.fullPath.length ?? 0) + 1) + (isFile ? '' : '/');
  const read = async (entry: FileSystemEntry): Promise<ChosenFile> => ({
    path: nameOf(entry),
    file: await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed)),
  });
  const files = await Promise.all(top.filter(({ isFile }) => isFile).map(read));
  const folders = top.filter(({ isFile }) => !isFile);
  // The server is asked before folders are read: environments and data may have very many files.
  const first = await taken(files, folders.map(nameOf), ask);
  const findInFolder = async (path: string): Promise<ChosenFile | null> => {
    const folder = folders.find((one) => path.startsWith(nameOf(one)) && !first.folders.includes(nameOf(one)));
    const file = folder && (await fileIn(folder, path.slice(nameOf(folder).length)));
    return file ? { path, file } : null;
  };
  const below: FileSystemEntry[] = [];
  for (const folder of folders) if (first.folders.includes(nameOf(folder))) await walk(folder, below);
  const find = async (path: string) => (await first.find(path)) ?? findInFolder(path);
  if (below.length === 0) return { ...first, find };
  const all = await taken([...first.files, ...(await Promise.all(below.map(read)))], [], ask);
  return {
    files: all.files,
    ignored: first.ignored + all.ignored,
    find: async (path) => (await all.find(path)) ?? find(path),
  };
}

/** A file alone is taken as it is: somebody chose it. */
async function taken(files: ChosenFile[], folders: string[], ask: AskLeftOut): Promise<Taken & { folders: string[] }> {
  if (files.length + folders.length <= 1) return { files, folders, ignored: 0, find: async () => null };
  const ignoreFiles: Record<string, string> = {};
  for (const { path, file } of files) if (IGNORE_FILE.test(path)) ignoreFiles[path] = await file.text();
  const out = new Set(await ask([...files.map(({ path }) => path), ...folders], ignoreFiles));
  return {
    files: files.filter(({ path }) => !out.has(path)),
    folders: folders.filter((path) => !out.has(path)),
    ignored: out.size,
    find: async (path) => files.find((one) => one.path === path && out.has(path)) ?? null,
  };
}

function fileIn(folder: FileSystemEntry, path: string): Promise<File | null> {
  return new Promise((done) =>
    (folder as FileSystemDirectoryEntry).getFile(
      path,
      undefined,
      (entry) => (entry as FileSystemFileEntry).file(done, () => done(null)),
      () => done(null),
    ),
  );
}

async function walk(folder: FileSystemEntry, found: FileSystemEntry[]): Promise<void> {
  for (const entry of await childrenOf(folder)) {
    if (entry.isFile) found.push(entry);
    else await walk(entry, found);
  }
}

async function childrenOf(folder: FileSystemEntry): Promise<FileSystemEntry[]> {
  const reader = (folder as FileSystemDirectoryEntry).createReader();
  const found: FileSystemEntry[] = [];
  // A reader gives a hundred entries at a time, and none at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (part.length === 0) return found;
    found.push(...part);
  }
}
