import { useCallback, useEffect, useRef, useState } from 'react';
import type { ChosenFile, Taken } from '../../lib/files';
import { type Draft, EMPTY } from './lib/draft';
import { likelyScript } from './lib/files';
import { forget, type Kept, keep, recall } from './lib/keep';

export const NOTHING_YET: Kept = { draft: EMPTY, files: [], ignored: 0, names: [] };

/** The form and its files: as they were left, or else as `start` has them. */
export function useEditor(source: string, start: Kept) {
  const [restored, setRestored] = useState(() => recall(source) !== null);
  const [kept, setKept] = useState<Kept>(() => recall(source) ?? start);
  const touched = useRef(false);
  useEffect(() => {
    if (touched.current) keep(source, kept);
  }, [source, kept]);

  const set = useCallback((changes: Partial<Draft>) => {
    touched.current = true;
    setKept((old) => ({ ...old, draft: { ...old.draft, ...changes } }));
  }, []);

  const take = useCallback(({ files, ignored, find }: Taken) => {
    const paths = files.map(({ path }) => path);
    touched.current = true;
    setKept(({ draft }) => ({ draft: withFiles(draft, paths), files, ignored, find, names: paths }));
  }, []);

  /** Take a file along that was left out. */
  const add = useCallback((file: ChosenFile) => {
    touched.current = true;
    setKept((old) => {
      const files = [...old.files.filter(({ path }) => path !== file.path), file];
      return { ...old, files, names: files.map(({ path }) => path) };
    });
  }, []);

  const startOver = useCallback(() => {
    touched.current = false;
    forget(source);
    setRestored(false);
    setKept(start);
  }, [source, start]);

  const sent = useCallback(() => {
    touched.current = false;
    forget(source);
  }, [source]);

  return { ...kept, restored, touched: touched.current || restored, set, take, add, startOver, sent };
}

/** The script stays the same where it is among the new files. */
function withFiles(draft: Draft, paths: readonly string[]): Draft {
  const still = draft.script !== null && paths.includes(draft.script);
  return still ? draft : { ...draft, ...scriptChosen(draft, likelyScript(paths)) };
}

/** What belongs to a script goes with it: parameters, how they are passed, objectives, its metric files. A name that
 * nobody gave follows the script; resources, environment, search and what else a person chose stay. */
export function scriptChosen(draft: Draft, script: string | null): Partial<Draft> {
  const unnamed = draft.name === '' || draft.name === draft.script;
  const module = script === draft.script ? draft.module : '';
  const named = { script, module, ...(unnamed ? { name: script ?? '' } : {}) };
  if (draft.script === null || draft.script === script) return named;
  const { params, added, convention, metric, goal, others, metricFiles, stdout } = EMPTY;
  return { ...named, params, added, convention, metric, goal, others, metricFiles, stdout };
}
