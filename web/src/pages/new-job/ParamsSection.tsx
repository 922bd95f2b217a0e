import { Button, Group, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import type { ScriptReport } from '../../api/types';
import { IconPlus } from '../../parts/icons';
import { focusField, useForm } from './form';
import { variablesOf } from './lib/draft';
import type { Row } from './lib/rows';
import { ParamFields } from './ParamFields';
import { Section } from './Section';

interface Props {
  rows: readonly Row[];
  report: ScriptReport | null;
}

/** Every hyperparameter as a value, a list or a range. */
export function ParamsSection({ rows, report }: Props) {
  const { draft, set, wrong } = useForm();
  const [name, setName] = useState('');
  const variables = report?.convention === 'env' ? variablesOf(draft.variables).values : {};
  const add = () => {
    const added = name.trim();
    if (!added) return;
    if (!rows.some((row) => row.name === added)) set({ added: [...draft.added, added] });
    setName('');
    setTimeout(() => focusField(`params.${added}`));
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault(); // not the whole form
    add();
  };
  return (
    <Section title="Hyperparameters">
      <Text size="sm" c="dimmed">
        A value <Sample>64</Sample>, a list <Sample>16,32,64</Sample>, steps <Sample>32..256:32</Sample>, or anything
        between <Sample>1e-4..1e-1:log</Sample>.{report ? ' Empty: the script’s default.' : ''}
      </Text>
      {wrong.params && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" data-field="params" tabIndex={-1}>
          {wrong.params}
        </Text>
      )}
      {rows.length > 0 && <ParamFields rows={rows} variables={variables} />}
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Further parameter"
          placeholder="name"
          size="xs"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={add} disabled={!name.trim()}>
          Add
        </Button>
      </Group>
    </Section>
  );
}

function Sample({ children }: { children: string }) {
  return (
    <Text span inherit c="var(--mantine-color-text)" className="app-mono">
      {children}
    </Text>
  );
}
