import { Alert, Anchor, Button, Group, Pill, Text } from '@mantine/core';
import { Link } from 'wouter';
import { plural } from '../../lib/format';
import { IconInfo } from '../../parts/icons';
import { type Also, alsoWords } from './lib/also';
import type { useEditor } from './useEditor';

export interface OldJob {
  id: string;
  name: string;
}

interface Props {
  editor: ReturnType<typeof useEditor>;
  from?: OldJob | undefined;
  /** The server has all files of it. */
  complete: boolean;
}

/** Where the form comes from, and what is not in it. Nothing for a new one. */
export function StartNote({ editor, from, complete }: Props) {
  const { draft, files, names, restored, touched, set, startOver } = editor;
  const also = alsoWords(draft.also);
  if (!from && !restored && also.length === 0) return null;
  const gone = !complete && files.length === 0 && (draft.mode === 'script' || names.length > 0);
  return (
    <Alert variant="light" color="accent" icon={<IconInfo size={18} />} p="sm">
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <div>
          {from && (
            <Text size="sm">
              Started from{' '}
              <Anchor
                component={Link}
                href={`/jobs/${from.id}`}
                className="app-wrap-anywhere"
                inherit
                underline="always"
              >
                {from.name || from.id}
              </Anchor>
              : everything is as it was there.
            </Text>
          )}
          {restored && <Text size="sm">What you had entered before is still here.</Text>}
          {gone && (
            <Text size="sm" fw={600} className="app-wrap-anywhere">
              The files are no longer here: drop {listed(names)} again.
            </Text>
          )}
          {also.length > 0 && (
            <Group gap={6} mt={6}>
              <Text size="sm">Also taken along:</Text>
              {also.map(([name, words]) => (
                <Pill
                  key={name}
                  withRemoveButton
                  onRemove={() => set({ also: without(draft.also, name) })}
                  removeButtonProps={{ 'aria-label': `Leave out: ${words}`, 'aria-hidden': false, tabIndex: 0 }}
                >
                  {words}
                </Pill>
              ))}
            </Group>
          )}
        </div>
        {touched && (
          <Button size="compact-sm" variant="default" onClick={startOver} style={{ flex: 'none' }}>
            Start over
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function without(also: Also, name: keyof Also): Also {
  const { [name]: _, ...rest } = also;
  return rest;
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'the script or its folder';
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${plural(names.length - 5, 'other')}` : shown;
}
