import { NumberInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { actionOf, chosenSize, resizeWords, type Size, type Sizes } from '../lib/sizes';
import { ConfirmModal } from './ConfirmModal';

const MOST_BUTTONS = 8;

interface Props {
  title: string;
  sizes: Sizes;
  opened: boolean;
  onClose: () => void;
  onResize: (size: Size) => Promise<unknown>;
}

/** Another number of GPUs for a training, or for all of a job, and what will happen. */
export function ResizeDialog({ title, sizes, opened, onClose, onResize }: Props) {
  const { least, most, now, wanted } = sizes;
  const [chosen, setChosen] = useState<Size | null>(null);
  const before = chosenSize(sizes);
  const size = chosen ?? before;
  const few = most - least < MOST_BUTTONS;
  const numbers = few ? Array.from({ length: most - least + 1 }, (_, i) => String(least + i)) : ['fixed'];
  const close = () => {
    setChosen(null);
    onClose();
  };
  const pick = (value: string) => setChosen(value === 'auto' ? value : Number(value) || (wanted ?? now ?? least));
  return (
    <ConfirmModal
      opened={opened}
      title={title}
      action={actionOf(sizes, size)}
      fields
      ready={now === null || size !== before}
      onClose={close}
      onConfirm={() => onResize(size)}
    >
      <Stack gap="sm">
        <SegmentedControl
          aria-label="GPUs"
          data={[
            { value: 'auto', label: 'Auto' },
            ...numbers.map((value) => ({ value, label: value === 'fixed' ? 'A number' : value })),
          ]}
          value={size === 'auto' ? 'auto' : few ? String(size) : 'fixed'}
          onChange={pick}
        />
        {!few && size !== 'auto' && (
          <NumberInput
            label="GPUs"
            description={`from ${least} to ${most}`}
            min={least}
            max={most}
            clampBehavior="strict"
            allowDecimal={false}
            value={size}
            onChange={(value) => setChosen(Number(value) || least)}
          />
        )}
        {resizeWords(sizes, size).map((text) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
      </Stack>
    </ConfirmModal>
  );
}
