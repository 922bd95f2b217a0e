import { Text } from '@mantine/core';

type Words = Record<string, { name: string; says: string }>;

export function choices(words: Words): { value: string; label: string }[] {
  return Object.entries(words).map(([value, { name }]) => ({ value, label: name }));
}

/** One of several, with a few words about it. */
export function Choice({ words, value }: { words: Words; value: string }) {
  return (
    <div>
      <Text size="sm">{words[value]?.name}</Text>
      <Text size="xs" c="dimmed">
        {words[value]?.says}
      </Text>
    </div>
  );
}
