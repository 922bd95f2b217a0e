import { ActionIcon, Autocomplete, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../api/client';
import { keys } from '../../api/keys';
import { AnotherObjective } from '../../parts/AnotherObjective';
import { IconClose } from '../../parts/icons';
import styles from './Editor.module.css';
import { focusField, useForm } from './form';
import type { ObjectiveTexts } from './lib/search';

const GOALS = [
  { value: 'auto', label: 'by the name of the metric' },
  { value: 'min', label: 'as small as possible' },
  { value: 'max', label: 'as large as possible' },
];
const USUAL = ['auto', 'val_loss', 'val_accuracy', 'val_acc', 'loss', 'accuracy'];
const MOST_OTHERS = 4;

/** What makes a configuration good: one objective, or several. */
export function ObjectiveFields({ from }: { from: string | null }) {
  const { draft, set, wrong } = useForm();
  const { others } = draft;
  const known = useQuery({
    queryKey: keys.metricNames(from ?? ''),
    queryFn: ({ signal }) =>
      take(api.GET('/api/v1/jobs/{job}/metrics/names', { params: { path: { job: from ?? '' } }, signal })),
    enabled: from !== null,
  });
  const data = known.data?.length ? ['auto', ...known.data] : USUAL;
  const change = (at: number, one: ObjectiveTexts) => set({ others: others.map((old, i) => (i === at ? one : old)) });
  const add = () => {
    // Of several, each is named.
    const first = draft.metric.trim() === 'auto' ? { metric: data.find((name) => name !== 'auto') ?? '' } : {};
    set({ ...first, others: [...others, { metric: '', goal: 'auto' }] });
    setTimeout(() => focusField(`other_objectives.${others.length}`));
  };
  return (
    <Stack gap="xs">
      <Row
        label=""
        data={data}
        value={draft}
        onChange={({ metric, goal }) => set({ metric, goal })}
        fields={['objective.metric', 'objective.goal']}
        errors={[wrong['objective.metric'] ?? wrong.objective, wrong['objective.goal']]}
      />
      {others.map((one, i) => {
        const fields = [`other_objectives.${i}`, `other_objectives.${i}.goal`] as const;
        return (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: objectives have no other name
            key={i}
            label={`${i + 2}`}
            data={data}
            value={one}
            onChange={(next) => change(i, next)}
            onRemove={() => set({ others: others.filter((_, at) => at !== i) })}
            fields={fields}
            errors={[wrong[fields[0]], wrong[fields[1]]]}
          />
        );
      })}
      {wrong.other_objectives && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" data-field="other_objectives" tabIndex={-1}>
          {wrong.other_objectives}
        </Text>
      )}
      {others.length < MOST_OTHERS && <AnotherObjective several={others.length > 0} onAdd={add} />}
    </Stack>
  );
}

interface RowProps {
  /** Which, where there are several. */
  label: string;
  data: string[];
  value: ObjectiveTexts;
  onChange: (value: ObjectiveTexts) => void;
  onRemove?: () => void;
  fields: readonly [string, string];
  errors: readonly [string | undefined, string | undefined];
}

function Row({ label, data, value: { metric, goal }, onChange, onRemove, fields, errors }: RowProps) {
  const named = (name: string) => (label ? `${name} ${label}` : name);
  return (
    <div className={styles.objective}>
      <Autocomplete
        label={named('Metric')}
        data={data}
        description={label || metric.trim() !== 'auto' ? undefined : 'chosen from what the script reports'}
        value={metric}
        onChange={(next) => onChange({ metric: next, goal })}
        error={errors[0]}
        data-field={fields[0]}
      />
      <Select
        label={named('Goal')}
        data={GOALS}
        description={label || metric.trim() !== 'auto' ? undefined : 'can be changed at any time'}
        value={metric.trim() === 'auto' ? 'auto' : goal}
        disabled={metric.trim() === 'auto'}
        onChange={(next) => onChange({ metric, goal: next ?? 'auto' })}
        error={errors[1]}
        data-field={fields[1]}
        allowDeselect={false}
      />
      {onRemove && (
        <ActionIcon className={styles.removeObjective} aria-label={`Remove objective ${label}`} onClick={onRemove}>
          <IconClose size={14} />
        </ActionIcon>
      )}
    </div>
  );
}
