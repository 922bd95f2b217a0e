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
import { excluding } from './lib/resources';
import { renamed, rowsOf } from './lib/rows';
import { MoreSections } from './MoreSections';
import { ParamsSection } from './ParamsSection';
import { PreviewPanel } from './PreviewPanel';
import { RETRY_CAUSES } from './RetryFields';
import { SearchSection } from './SearchSection';
import { SourceSection } from './SourceSection';
import { type OldJob, StartNote } from './StartNote';
import { useDropAnywhere } from './useDropAnywhere';
import { useEditor } from './useEditor';
import { usePreview, useReport } from './usePreview';

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
  const outcome = usePreview(draft, files);
  const submit = useSubmit();
  useDropAnywhere(take);

  const found = draft.mode === 'script' && files.length > 0 ? (report.data ?? null) : null;
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
  const empty = draft.mode === 'script' && files.length === 0;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const [first] = Object.keys(faults.at);
    if (first) return focusField(first);
    submit.mutate(
      { spec: toSpec(draft), files },
      {
        onSuccess: (job) => {
          editor.sent();
          navigate(`/jobs/${job.id}`);
        },
      },
    );
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
            <StartNote editor={editor} from={from} />
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
            />
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
