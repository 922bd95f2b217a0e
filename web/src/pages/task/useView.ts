import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback, useState } from 'react';
import { useUrlState } from '../../lib/urlState';
import type { ChartSettings } from '../../parts/plots/CurveChart';

/** attempt 0: the current one. log: the graphs with a logarithmic axis. */
const VIEW = { attempt: 0, log: [] as string[], smooth: 0, clip: false };

/** What the page shows and how graphs are drawn, in the URL. Smoothing and clipping are the same for all graphs. */
export function useView() {
  const [view, setView] = useUrlState(VIEW);
  const [smoothing, setSmoothing] = useState(() => Math.min(Math.max(view.smooth, 0), 0.99));
  // A slider that is dragged would write more addresses than browsers allow.
  const writeSmoothing = useDebouncedCallback((smooth: number) => setView({ smooth }), 250);
  const setAttempt = useCallback((attempt: number) => setView({ attempt }), [setView]);
  const logs = view.log;
  const setSettings = useCallback(
    (graph: string, { log, smoothing: smooth, clip }: ChartSettings) => {
      setSmoothing(smooth);
      writeSmoothing(smooth);
      if (log !== logs.includes(graph))
        setView({ log: log ? [...logs, graph] : logs.filter((name) => name !== graph) });
      if (clip !== view.clip) setView({ clip });
    },
    [logs, view.clip, setView, writeSmoothing],
  );
  return { attempt: view.attempt, setAttempt, logs, smoothing, clip: view.clip, setSettings };
}

export type View = ReturnType<typeof useView>;
