import { Stack } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../api/client';
import { useSubmit } from '../../api/submissions';
import { Page } from '../../parts/Page';
import { BasicsSection } from './BasicsSection';
import styles from './Editor.module.css';
import { FoundPanel } from './FoundPanel';
import { FormContext, focusField } from './form';
import { slips, toSpec } from './lib/draft';
import { place } from './lib/fields';
import type { Kept } from './lib/keep';
import { heldBy } from './lib/preflight';
import { excluding } from './lib/resources';
import { renamed, rowsOf } from './lib/rows';
import { MoreSections } from './MoreSections';
import { ParamsSection } from './ParamsSection';
import { PreflightPanel } from './Preflight';
import { PreviewPanel } from './PreviewPanel';
import { RETRY_CAUSES } from './RetryFields';
import { SearchSection } from './SearchSection';
import { SourceSection } from './SourceSection';
import { type OldJob, StartNote } from './StartNote';
import { useDropAnywhere } from './useDropAnywhere';
import { useEditor } from './useEditor';
import { usePreflight, usePreview, useReport } from './usePreview';

interface Props {
  /** What the form was started from: forms of different sources are kept apart. */
  source: string;
  title: string;
  start: Kept;
  from?: OldJob;
}

export function Editor({ source, title, start, from }: Props) {
  const [, navigate] = useLocation();
  const editor = useEditor(source, start);
  const { draft, files, set, take } = editor;
  const report = useReport(files, draft);
  // Files that are as the old job had them come from the server's copy, whatever they contain.
  const same = files === start.files || (files.length === 0 && editor.names.join() === start.names.join());
  const own = from && same ? from.id : null;
  const code = useMemo(() => (own ? { job: own } : undefined), [own]);
  const outcome = usePreview(draft, files, code);
  const preflight = usePreflight(draft, files, code);
  const submit = useSubmit();
  useDropAnywhere(take);

  const read = files.length > 0 ? report.data : outcome.preview?.script;
  const found = draft.mode === 'script' ? (read ?? null) : null;
  const rows = useMemo(() => rowsOf(draft, found), [draft, found]);
  useEffect(() => {
    if (!found) return;
    const params = renamed(draft.params, found);
    if (Object.keys(params).join() !== Object.keys(draft.params).join()) set({ params });
  }, [found, draft.params, set]);

  const faults = useMemo(() => {
    const found = { ...slips(draft), ...faultsOf(outcome.error), ...faultsOf(submit.error) };
    const fields = [
      ...rows.map(({ name }) => `params.${name}`),
      ...RETRY_CAUSES.map((cause) => `retries.${cause}`),
      ...draft.others.flatMap((_, i) => [`other_objectives.${i}`, `other_objectives.${i}.goal`]),
    ];
    return place(found, fields, excluding(draft.resources));
  }, [outcome.error, submit.error, draft, rows]);
  const { reset, error: refused } = submit;
  const form = useMemo(
    () => ({
      draft,
      wrong: faults.at,
      set: (changes: Partial<typeof draft>) => {
        if (refused) reset();
        set(changes);
      },
    }),
    [draft, faults, set, reset, refused],
  );
  const empty = draft.mode === 'script' && files.length === 0 && !code;
  const send = (force: boolean) =>
    submit.mutate(
      { spec: toSpec(draft), files: code ? [] : files, code, force },
      {
        onSuccess: (job) => {
          editor.sent();
          navigate(`/jobs/${job.id}`);
        },
      },
    );
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const [first] = Object.keys(faults.at);
    if (first) return focusField(first);
    if (heldBy(preflight)) return focusField('preflight');
    send(false);
  };
  return (
    <Page title={title}>
      <FormContext value={form}>
        <form
          onSubmit={onSubmit}
          onKeyDown={onKey}
          noValidate
          className={`${styles.columns} ${empty ? styles.alone : ''}`}
        >
          <Stack gap="md" className={styles.form}>
            <StartNote editor={editor} from={from} complete={own !== null} />
            <SourceSection editor={editor} reading={report.error} />
            {!empty && (
              <>
                {found && <FoundPanel report={found} />}
                <BasicsSection />
                <ParamsSection rows={rows} report={found} />
                <SearchSection from={from?.id ?? null} />
                <MoreSections />
              </>
            )}
          </Stack>
          {!empty && (
            <PreviewPanel
              outcome={outcome}
              faults={faults}
              refused={submit.error}
              sending={submit.isPending}
              known={found?.warnings ?? []}
              held={heldBy(preflight) !== null}
              onInsist={() => send(true)}
            >
              {preflight && (
                <PreflightPanel
                  found={preflight}
                  editor={editor}
                  sending={submit.isPending}
                  onInsist={() => send(true)}
                />
              )}
            </PreviewPanel>
          )}
        </form>
      </FormContext>
    </Page>
  );
}

/** Enter in a field is no submission of many tasks; Ctrl+Enter is. */
function onKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter') return;
  const meant = event.ctrlKey || event.metaKey;
  if (meant) event.currentTarget.requestSubmit();
  if (meant || event.target instanceof HTMLInputElement) event.preventDefault();
}

function faultsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return error.code === 'too_large' ? { files: error.message } : error.fields;
}
