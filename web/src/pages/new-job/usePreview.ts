import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { inspectScript, preflightJob, previewJob, type Upload } from '../../api/submissions';
import type { CodeInfo, Preview } from '../../api/types';
import type { ChosenFile } from '../../lib/files';
import { type Draft, toSpec } from './lib/draft';
import { besideScript, forPreflight, forPreview, withoutOutputs } from './lib/files';

const PAUSE_MS = 300;
const MAX_SOURCE = 5_000_000;

/** Files cannot be part of a key; this can. */
const stamps = new WeakMap<readonly ChosenFile[], number>();
let stamped = 0;

function stampOf(files: readonly ChosenFile[]): number {
  const known = stamps.get(files) ?? ++stamped;
  stamps.set(files, known);
  return known;
}

/** What was found by reading the script. */
export function useReport(files: readonly ChosenFile[], draft: Draft) {
  const script = draft.mode === 'script' ? draft.script : null;
  const file = files.find(({ path }) => path === script)?.file;
  return useQuery({
    queryKey: ['inspect', script, stampOf(files)],
    queryFn: async ({ signal }) => {
      const beside = besideScript(files, script).map(async ({ path, file }) => [path, await file.text()] as const);
      const source = withoutOutputs(script ?? '', await (file as File).text()).slice(0, MAX_SOURCE);
      const together = Object.fromEntries(await Promise.all(beside));
      return inspectScript({ source, filename: script ?? '', params: [], files: together }, signal);
    },
    enabled: file !== undefined,
    // Of the same script, until it is read again; what was found in another one is not shown.
    placeholderData: (found, query) => (query?.queryKey[1] === script ? found : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Modules and files that are missing. Asked for when the program, its files or its environment change. */
export function usePreflight(draft: Draft, files: readonly ChosenFile[], code: CodeInfo | undefined) {
  const { script, command, environment, workdir, module } = toSpec(draft);
  const now = useMemo(
    () => JSON.stringify({ script, command, environment, workdir, module }),
    [script, command, environment, workdir, module],
  );
  const [asked] = useDebouncedValue(now, PAUSE_MS);
  const query = useQuery({
    queryKey: ['preflight', stampOf(files), asked, code?.job],
    queryFn: ({ signal }) =>
      preflightJob({ spec: JSON.parse(asked), files: code ? [] : forPreflight(files), code }, signal),
    enabled: files.length > 0 || code !== undefined,
    retry: false,
    staleTime: 60_000,
  });
  return now === asked ? (query.data ?? null) : null;
}

/** What was sent, and a name for it. */
export interface Asked {
  key: string;
  upload: Upload;
}

export interface Outcome {
  /** The last that could be made, also while the form has a mistake. */
  preview: Preview | null;
  error: Error | null;
  /** The form has changed since. */
  old: boolean;
  asked: Asked;
  retry: () => void;
}

/** What the form, as it is, would start. Asked for after a pause; an answer that comes late is not shown. */
export function usePreview(draft: Draft, files: readonly ChosenFile[], code?: CodeInfo): Outcome {
  const now = useMemo(() => ({ spec: toSpec(draft), files, script: draft.script }), [draft, files]);
  const [asked] = useDebouncedValue(now, PAUSE_MS);
  const key = `${stampOf(asked.files)} ${JSON.stringify(asked.spec)}`;
  const upload = { spec: asked.spec, files: code ? [] : forPreview(asked.files, asked.script), code };
  const enabled = asked.spec.command ? asked.spec.command.trim() !== '' : asked.files.length > 0 || code !== undefined;
  const query = useQuery({
    queryKey: ['preview', key],
    queryFn: ({ signal }) => previewJob(upload, signal),
    enabled,
    retry: false,
    gcTime: 10_000,
    structuralSharing: false,
  });
  // Neither the tasks nor what is wrong vanish while the next answer is on its way.
  const held = useRef<{ preview: Preview | null; error: Error | null }>({ preview: null, error: null });
  if (!enabled) held.current = { preview: null, error: null };
  else if (query.isSuccess) held.current = { preview: query.data, error: null };
  else if (query.isError) held.current = { ...held.current, error: query.error };
  const old = now !== asked || query.isFetching;
  return { ...held.current, old: enabled && old, asked: { key, upload }, retry: () => void query.refetch() };
}
