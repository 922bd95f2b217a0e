import { Button, Title } from '@mantine/core';
import { Fragment, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { JobLoad, LoadReport, Share } from '../../api/types';
import { bytes, integer, NOTHING, percent, plural } from '../../lib/format';
import { Hints } from '../../parts/Hints';
import styles from './Hosts.module.css';
import { byUse, coreText } from './nodes';

const FIRST = 8;

/** Who uses what: by user and by job, with what could be used better. */
export function Use({ report: { users, jobs } }: { report: LoadReport }) {
  const advised = jobs.filter(({ advice = [] }) => advice.length > 0).length;
  const gpus = [...users, ...jobs].some((one) => (one.gpus ?? 0) > 0);
  return (
    <section className={styles.group} aria-label="Who uses what">
      <div className={styles.groupHead}>
        <Title order={2}>Who uses what</Title>
        <span>
          {jobs.length === 0
            ? 'Nothing runs now: users and jobs whose tasks run are listed here'
            : advised > 0 && `advice for ${plural(advised, 'job')}`}
        </span>
      </div>
      {jobs.length > 0 && (
        <div className={styles.uses}>
          <UseTable label="By user" what="User" rows={byUse(users)} gpus={gpus} id={(one) => one.user}>
            {(one) => one.user}
          </UseTable>
          <UseTable label="By job" what="Job" rows={byUse(jobs)} gpus={gpus} id={(one) => one.job}>
            {(one) => <JobName job={one} />}
          </UseTable>
        </div>
      )}
    </section>
  );
}

function JobName({ job }: { job: JobLoad }) {
  return (
    <>
      <Link href={`/jobs/${job.job}`} className="app-link">
        {job.name || job.job}
      </Link>
      <small> {job.user}</small>
    </>
  );
}

interface Props<T> {
  label: string;
  what: string;
  rows: readonly T[];
  /** Whether any of them is on a GPU. */
  gpus: boolean;
  id: (row: T) => string;
  children: (row: T) => ReactNode;
}

function UseTable<T extends Share>({ label, what, rows, gpus, id, children }: Props<T>) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? rows : rows.slice(0, FIRST);
  const loads = rows.some(isJob);
  return (
    <div className={`app-panel app-scroll`}>
      <table className={`app-table app-cards ${styles.table} ${styles.use}`} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{what}</th>
            <th scope="col">Tasks</th>
            <th scope="col">Cores</th>
            <th scope="col">Memory</th>
            {gpus && <th scope="col">GPUs</th>}
            {gpus && loads && <th scope="col">GPU load</th>}
            {gpus && <th scope="col">GPU memory</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Fragment key={id(row)}>
              <tr>
                <th scope="row">{children(row)}</th>
                <td data-label="tasks">{integer(row.tasks)}</td>
                <td data-label="cores">{coreText(row.cores)}</td>
                <td data-label="memory">{bytes(row.memory)}</td>
                {gpus && <GpuCells row={row} loads={loads} />}
              </tr>
              {isJob(row) && row.advice && row.advice.length > 0 && (
                <tr data-advice>
                  <td colSpan={7}>
                    <Hints hints={row.advice} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
      {rows.length > FIRST && !whole && (
        <Button variant="subtle" size="compact-xs" m={8} onClick={() => setWhole(true)}>
          Show all {integer(rows.length)}
        </Button>
      )}
    </div>
  );
}

function GpuCells({ row, loads }: { row: Share; loads: boolean }) {
  const none = row.gpus ? undefined : true;
  return (
    <>
      <td data-label="GPUs" data-none={none}>
        {row.gpus || NOTHING}
      </td>
      {loads && (
        <td data-label="GPU load" data-none={none}>
          {isJob(row) ? percent(row.gpu_load) : NOTHING}
        </td>
      )}
      <td data-label="GPU memory" data-none={none}>
        {row.gpus ? bytes(row.gpu_memory || null) : NOTHING}
      </td>
    </>
  );
}

function isJob(row: Share): row is JobLoad {
  return 'job' in row;
}
