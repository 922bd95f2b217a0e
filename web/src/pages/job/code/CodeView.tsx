import { Anchor, Button, Group, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { codeUrl, useCode, useCodeFile } from '../../../api/files';
import { useJobs } from '../../../api/jobs';
import type { FileEntry, JobDetail } from '../../../api/types';
import { bytes, plural } from '../../../lib/format';
import { useUrlState } from '../../../lib/urlState';
import { CopyButton } from '../../../parts/CopyButton';
import { IconDownload } from '../../../parts/icons';
import { Loaded } from '../../../parts/Page';
import styles from './Code.module.css';
import { DiffView } from './DiffView';
import { factsOf } from './facts';

const PLACE = { file: '', with: '' };

/** What a job consists of: its files, where they come from, and what differs from another job. */
export default function CodeView({ job }: { job: JobDetail }) {
  const [place, setPlace] = useUrlState(PLACE);
  const facts = factsOf(job.spec, job.code);
  return (
    <>
      <section className="app-panel" aria-label="How it runs">
        <dl className={styles.facts}>
          {facts.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="app-mono app-wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <Group justify="space-between" gap="xs">
        <JobPicker job={job.id} value={place.with} onChange={(chosen) => setPlace({ with: chosen })} />
        <Button
          size="xs"
          variant="default"
          component="a"
          href={codeUrl(job.id)}
          download
          leftSection={<IconDownload size={14} />}
        >
          Download code
        </Button>
      </Group>
      {place.with ? (
        <DiffView job={job.id} other={place.with} />
      ) : (
        <Files job={job} file={place.file} onShow={(file) => setPlace({ file })} />
      )}
    </>
  );
}

const MOST = 50;

function JobPicker({ job, value, onChange }: { job: string; value: string; onChange: (job: string) => void }) {
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text, 250);
  const { data } = useJobs({ q: q.includes(' · ') ? '' : q, limit: MOST });
  const options = useMemo(() => {
    const found = (data?.items ?? []).filter(({ id }) => id !== job);
    const listed = found.map(({ id, name }) => ({ value: id, label: `${name} · ${id}` }));
    return !value || found.some(({ id }) => id === value) ? listed : [{ value, label: value }, ...listed];
  }, [data, job, value]);
  return (
    <Select
      size="xs"
      className={styles.picker}
      aria-label="Compare with another job"
      placeholder="Compare with another job"
      data={options}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Compare with none' }}
      filter={({ options: all }) => all}
      onSearchChange={setText}
      nothingFoundMessage="No such job"
    />
  );
}

function Files({ job, file, onShow }: { job: JobDetail; file: string; onShow: (file: string) => void }) {
  const code = useCode(job.id);
  return (
    <Loaded query={code} what="code">
      {({ items, total }) => {
        const known = items.find(({ path }) => path === file) ?? first(items, job);
        return (
          <section className={`app-panel ${styles.files}`} aria-label="Code">
            <nav aria-label="Files of the job">
              <ul className={styles.list}>
                {items.map(({ path, size }) => (
                  <li key={path} data-shown={path === known?.path || undefined}>
                    <Anchor
                      component="button"
                      type="button"
                      size="sm"
                      className="app-wrap-anywhere"
                      aria-current={path === known?.path ? 'true' : undefined}
                      onClick={() => onShow(path)}
                    >
                      {path}
                    </Anchor>
                    <small>{bytes(size)}</small>
                  </li>
                ))}
              </ul>
              {items.length < total && <p className={styles.dim}>and {plural(total - items.length, 'other file')}</p>}
              {total === 0 && <p className={styles.dim}>The job was submitted without files.</p>}
            </nav>
            {known && <Content job={job.id} path={known.path} />}
          </section>
        );
      }}
    </Loaded>
  );
}

/** The script, or whatever comes first. */
function first(items: readonly FileEntry[], { spec }: JobDetail): FileEntry | undefined {
  return items.find(({ path }) => path === spec.script) ?? items[0];
}

function Content({ job, path }: { job: string; path: string }) {
  const preview = useCodeFile(job, path);
  return (
    <Loaded query={preview} what="file">
      {(found) => (
        <div className={styles.content}>
          <div className={styles.head}>
            <h2 className="app-panel-title app-mono">{path}</h2>
            {found.text && <CopyButton text={found.text} label="Copy the file" />}
          </div>
          {found.text || found.kind === 'table' ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <section className={styles.text} tabIndex={0} aria-label={`Text of ${path}`}>
              <pre>
                {found.text ?? [found.columns ?? [], ...(found.rows ?? [])].map((row) => row.join(',')).join('\n')}
              </pre>
              {found.more && <p className={styles.dim}>Only the beginning is shown.</p>}
            </section>
          ) : (
            <p className={styles.dim}>{found.size ? 'This file is not text.' : 'This file is empty.'}</p>
          )}
        </div>
      )}
    </Loaded>
  );
}
