import { Code, Group } from '@mantine/core';
import { CopyButton } from './CopyButton';

/** A line to take along: a command, a link, a token. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Code block ta="start" flex={1} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyButton text={text} label={label} />
    </Group>
  );
}
