import { NumberInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { plural } from '../lib/format';
import { resizeWords, type Sizes } from '../lib/sizes';
import { ConfirmModal } from './ConfirmModal';

const MOST_BUTTONS = 8;

interface Props {
  title: string;
  sizes: Sizes;
  opened: boolean;
  onClose: () => void;
  onResize: (gpus: number) => Promise<unknown>;
}

/** Another number of GPUs for a training, or for all of a job, and what will happen. */
export function ResizeDialog({ title, sizes, opened, onClose, onResize }: Props) {
  const { least, most, now, wanted } = sizes;
  const [chosen, setChosen] = useState<number | null>(null);
  const gpus = chosen ?? wanted ?? now ?? least;
  const back = wanted != null && gpus === now;
  const close = () => {
    setChosen(null);
    onClose();
  };
  return (
    <ConfirmModal
      opened={opened}
      title={title}
      action={back ? `Stay with ${plural(gpus, 'GPU')}` : `Go on with ${plural(gpus, 'GPU')}`}
      fields
      ready={gpus !== (wanted ?? now)}
      onClose={close}
      onConfirm={() => onResize(gpus)}
    >
      <Stack gap="sm">
        {most - least < MOST_BUTTONS ? (
          <SegmentedControl
            aria-label="GPUs"
            data={Array.from({ length: most - least + 1 }, (_, i) => String(least + i))}
            value={String(gpus)}
            onChange={(value) => setChosen(Number(value))}
          />
        ) : (
          <NumberInput
            label="GPUs"
            description={`from ${least} to ${most}`}
            min={least}
            max={most}
            clampBehavior="strict"
            allowDecimal={false}
            value={gpus}
            onChange={(value) => setChosen(Number(value) || null)}
          />
        )}
        {resizeWords(sizes, gpus).map((text) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
      </Stack>
    </ConfirmModal>
  );
}
