import { ActionIcon, Autocomplete, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError } from '../../api/client';
import { useChangeObjective, useObjective } from '../../api/jobs';
import type { JobDetail, Objective, ObjectiveReport } from '../../api/types';
import { AnotherObjective } from '../../parts/AnotherObjective';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { IconClose } from '../../parts/icons';
import { Loaded } from '../../parts/Page';
import styles from './Job.module.css';

interface Props {
  job: JobDetail;
  opened: boolean;
  onClose: () => void;
}

const GOALS = [
  { value: 'min', label: 'as small as possible' },
  { value: 'max', label: 'as large as possible' },
];
const MOST = 5;

/** Which metric makes a task better than another: chosen among those that tasks report. */
export default function ObjectiveJob({ job, opened, onClose }: Props) {
  const query = useObjective(job.id);
  return (
    <Modal opened={opened} onClose={onClose} title="Objective" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Loaded query={query} what="objective">
        {(report) => <Form job={job} report={report} onClose={onClose} />}
      </Loaded>
    </Modal>
  );
}

function Form({ job, report, onClose }: { job: JobDetail; report: ObjectiveReport; onClose: () => void }) {
  const [rows, setRows] = useState<Objective[]>(report.objectives);
  const change = useChangeObjective(job.id);
  const wrong = change.error instanceof ApiError ? change.error.fields : {};
  const field = Object.entries(wrong).find(([at]) => at.startsWith('objective'))?.[1];
  const send = (objective: (Objective | string)[]) => change.mutate({ objective }, { onSuccess: onClose });
  const save = (event: FormEvent) => {
    event.preventDefault();
    send(rows.map(({ metric = '', goal }) => ({ metric: metric.trim(), goal })));
  };
  const set = (at: number, row: Objective) => setRows(rows.map((old, i) => (i === at ? row : old)));
  return (
    <form onSubmit={save}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {report.choice.why}. Best values, ranks, curves and importance follow at once
          {job.searching ? ', and the next trials, too' : ''}.
        </Text>
        {rows.map((row, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
          <Row key={i} at={i} row={row} report={report} error={i === 0 ? field : undefined} onChange={set}>
            {i > 0 && (
              <ActionIcon
                aria-label={`Remove objective ${i + 1}`}
                onClick={() => setRows(rows.filter((_, at) => at !== i))}
              >
                <IconClose size={14} />
              </ActionIcon>
            )}
          </Row>
        ))}
        {rows.length < MOST && (
          <AnotherObjective several={rows.length > 1} onAdd={() => setRows([...rows, { metric: '', goal: 'min' }])} />
        )}
        {change.error && !field && <ErrorPanel error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" mr="auto" loading={change.isPending} onClick={() => send(['auto'])}>
            Choose automatically
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface RowProps {
  at: number;
  row: Objective;
  report: ObjectiveReport;
  error: string | undefined;
  onChange: (at: number, row: Objective) => void;
  children: ReactNode;
}

function Row({ at, row, report, error, onChange, children }: RowProps) {
  const named = (name: string) => (at ? `${name} ${at + 1}` : name);
  const known = new Map(report.metrics.map((one) => [one.metric, one.goal]));
  return (
    <div className={styles.objective}>
      <Autocomplete
        label={named('Metric')}
        data={[...known.keys()].filter((name) => name !== undefined)}
        value={row.metric ?? ''}
        // The name of a metric mostly reveals what is better.
        onChange={(metric) => onChange(at, { metric, goal: known.get(metric) ?? row.goal })}
        error={error}
        data-autofocus={at === 0 || undefined}
      />
      <Select
        label={named('Goal')}
        data={GOALS}
        value={row.goal ?? 'min'}
        onChange={(goal) => onChange(at, { ...row, goal: goal === 'max' ? 'max' : 'min' })}
        allowDeselect={false}
      />
      {children}
    </div>
  );
}
