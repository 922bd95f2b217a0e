import { Stack, Switch, Textarea } from '@mantine/core';
import { useForm, useText } from './form';

export function MetricFields() {
  const { draft, set, wrong } = useForm();
  const text = useText();
  return (
    <Stack gap="sm">
      <Textarea
        label="Files"
        description="Patterns relative to the task’s folder, one per line; CSV, JSON lines and TensorBoard files are found without any"
        placeholder="logs/*.csv"
        autosize
        minRows={2}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...text('metricFiles', 'metrics.files')}
      />
      <Textarea
        label="Patterns"
        description="Regular expressions for lines that the script prints, one per line. Each named group is a metric; the groups epoch and step place it"
        placeholder="pass (?P<epoch>\d+) gave (?P<quality>\S+)"
        autosize
        minRows={1}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...text('metricPatterns', 'metrics.patterns')}
      />
      <Switch
        label="Read metrics that the script prints, when no file has metrics"
        checked={draft.stdout}
        onChange={(event) => set({ stdout: event.currentTarget.checked })}
        error={wrong['metrics.stdout']}
      />
    </Stack>
  );
}
