import { NumberInput, Select, SimpleGrid } from '@mantine/core';
import { Choice, choices } from './Choice';
import { useForm, useNumber } from './form';
import { KNOBS, knobsOf, STOPS } from './lib/search';

const WORDS = {
  minSteps: { label: 'Not before epoch', placeholder: '1', says: 'No task is stopped earlier' },
  maxSteps: { label: 'Epochs of a whole task', placeholder: 'the script’s default', says: '' },
  eta: { label: 'One of this many goes on', placeholder: '3', says: 'At each rung' },
  minTrials: {
    label: 'After this many others',
    placeholder: '5',
    says: 'This many tasks must have come as far before one is stopped',
  },
  stopInterval: { label: 'Compared every', placeholder: 'each epoch', says: 'Epochs' },
};

/** When tasks are stopped that are not promising; each knob where it means something. */
export function StopEarlyFields() {
  const { draft, set, wrong } = useForm();
  const number = useNumber();
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <Select
        label="Early stopping"
        data={choices(STOPS)}
        renderOption={({ option }) => <Choice words={STOPS} value={option.value} />}
        comboboxProps={{ width: 320, position: 'bottom-start' }}
        value={draft.stopMethod}
        onChange={(stopMethod) => set({ stopMethod: stopMethod ?? 'none' })}
        error={wrong['stop_early.method'] ?? wrong.stop_early}
        data-field="stop_early.method"
        allowDeselect={false}
      />
      {knobsOf(draft.stopMethod).map((knob) => (
        <NumberInput
          key={knob}
          label={WORDS[knob].label}
          placeholder={WORDS[knob].placeholder}
          description={WORDS[knob].says || undefined}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          {...number(knob, `stop_early.${KNOBS[knob]}`, knob !== 'minTrials')}
        />
      ))}
    </SimpleGrid>
  );
}
