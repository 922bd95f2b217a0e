import { Button, Collapse, NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { IconChevronDown, IconChevronUp } from '../../parts/icons';
import { Choice, choices } from './Choice';
import { useForm, useNumber, useText } from './form';
import { METHODS } from './lib/search';
import { ObjectiveFields } from './ObjectiveFields';
import { Section } from './Section';
import { StopEarlyFields } from './StopEarlyFields';
import { WarmStartField } from './WarmStartField';

const FURTHER = ['search.seed', 'search.repeat', 'search.warm_start'];

/** How many trials there are when none are given. */
const USUAL: Record<string, string> = {
  auto: '50; all of a grid',
  grid: 'all of them',
  random: '20',
  sobol: '20',
  pbt: '8',
};

/** What is looked for, and how. `from`: the old job, whose metrics are known. */
export function SearchSection({ from }: { from: string | null }) {
  const { draft, set, wrong } = useForm();
  const number = useNumber();
  const text = useText();
  const pbt = draft.method === 'pbt';
  return (
    <Section title="Objective and search">
      <ObjectiveFields from={from} />
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <Select
          label="Search"
          data={choices(METHODS)}
          renderOption={({ option }) => <Choice words={METHODS} value={option.value} />}
          comboboxProps={{ width: 340, position: 'bottom-start' }}
          maxDropdownHeight={520}
          value={draft.method}
          onChange={(method) => set({ method: method ?? 'auto' })}
          error={wrong['search.method'] ?? wrong.search}
          data-field="search.method"
          allowDeselect={false}
        />
        <NumberInput
          label={pbt ? 'Population' : 'Trials'}
          placeholder={USUAL[draft.method] ?? '50'}
          {...number('trials', 'search.trials')}
        />
        <TextInput
          label="Time budget"
          placeholder="none; such as 2h"
          autoComplete="off"
          {...text('timeBudget', 'search.time_budget')}
        />
        {(pbt || wrong['search.interval']) && (
          <NumberInput
            label="Interval"
            description="Epochs from one change of values to the next"
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            placeholder="chosen automatically"
            {...number('interval', 'search.interval', true)}
          />
        )}
      </SimpleGrid>
      <StopEarlyFields />
      <Further />
    </Section>
  );
}

/** What most searches leave as it is. */
function Further() {
  const { draft, wrong } = useForm();
  const number = useNumber();
  const [opened, setOpened] = useState(() => draft.seed !== '' || draft.repeat !== '' || draft.warmStart.length > 0);
  const open = opened || FURTHER.some((field) => wrong[field]);
  const Icon = open ? IconChevronUp : IconChevronDown;
  return (
    <>
      <div>
        <Button
          size="compact-sm"
          variant="subtle"
          rightSection={<Icon size={14} />}
          aria-expanded={open}
          onClick={() => setOpened(!open)}
        >
          Seed, repeats, warm start
        </Button>
      </div>
      <Collapse expanded={open} keepMounted={false}>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          <NumberInput label="Seed" placeholder="0" {...number('seed', 'search.seed')} />
          <NumberInput
            label="Repeat"
            description="Tasks for each configuration; their mean counts"
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            placeholder="1"
            {...number('repeat', 'search.repeat')}
          />
          <WarmStartField />
        </SimpleGrid>
      </Collapse>
    </>
  );
}
