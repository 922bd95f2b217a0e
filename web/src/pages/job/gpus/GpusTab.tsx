import { Button, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useJobGpus } from '../../../api/jobs';
import type { GpusPoint, JobDetail } from '../../../api/types';
import { absolute, clock, number } from '../../../lib/format';
import { changeText, gpuHours, isShort, stepsOf } from '../../../lib/gpuSteps';
import { CardTable } from '../../../parts/CardTable';
import { EmptyState } from '../../../parts/EmptyState';
import { IconChart } from '../../../parts/icons';
import { NextSizes } from '../../../parts/NextSizes';
import { Loaded } from '../../../parts/Page';
import { useNow } from '../../../parts/RelativeTime';
import { GpuSteps } from './GpuSteps';
import styles from './Gpus.module.css';

/** How many GPUs the tasks of a job have had, why that changed, and what the policy would change next. */
export default function GpusTab({ job }: { job: JobDetail }) {
  return (
    <Loaded query={useJobGpus(job.id)} what="job">
      {({ points, next = [] }) => (
        <>
          {next.length > 0 && (
            <section>
              <Title order={2} mb="xs">
                What the policy would change next
              </Title>
              <NextSizes changes={next} />
            </section>
          )}
          {points.length ? (
            <Known points={points} />
          ) : (
            <EmptyState icon={IconChart} title="None of its tasks has used a GPU yet">
              How many they have over time is shown here, with why that changed.
            </EmptyState>
          )}
        </>
      )}
    </Loaded>
  );
}

const SHOWN = 12;

function Known({ points }: { points: readonly GpusPoint[] }) {
  const steps = useMemo(() => stepsOf(points), [points]);
  const now = useNow();
  const [all, setAll] = useState(false);
  const last = steps.at(-1);
  const until = last && last.gpus === 0 ? last.at : now;
  const newest = steps.toReversed();
  return (
    <>
      <section className="app-panel" aria-label="GPUs over time">
        <h2 className="app-panel-title">GPUs over time</h2>
        <p className={styles.summary}>
          now {last?.gpus ?? 0}, at most {Math.max(...steps.map(({ gpus }) => gpus))}, in all{' '}
          {number(gpuHours(steps, until), 3)} GPU-hours
        </p>
        <GpuSteps steps={steps} until={until} />
      </section>
      <section>
        <CardTable label="Changes" columns={['When', 'GPUs', 'Why']}>
          {(all ? newest : newest.slice(0, SHOWN)).map((step) => (
            <tr key={step.at}>
              <td data-label="When">
                <time dateTime={new Date(step.at).toISOString()} title={absolute(step.at)}>
                  {clock(step.at, now, isShort(steps, until))}
                </time>
              </td>
              <td data-label="GPUs" className={styles.figure}>
                {changeText(step.before, step.gpus)}
              </td>
              <td data-wide data-label="Why" className="app-wrap-anywhere">
                {step.why}
              </td>
            </tr>
          ))}
        </CardTable>
        {!all && newest.length > SHOWN && (
          <Button size="xs" variant="default" mt="xs" onClick={() => setAll(true)}>
            Show all {newest.length.toLocaleString('en-US')} changes
          </Button>
        )}
      </section>
    </>
  );
}
