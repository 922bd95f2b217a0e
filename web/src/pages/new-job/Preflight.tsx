import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { FoundEnvironment, Preflight } from '../../api/types';
import { IconAlert } from '../../parts/icons';
import { useForm } from './form';
import { type LeftOut, leadsOut, leftOut } from './lib/preflight';
import type { useEditor } from './useEditor';

interface Props {
  found: Preflight;
  editor: ReturnType<typeof useEditor>;
  sending: boolean;
  onInsist: () => void;
}

const SHOWN = 10;
const NARROW = { flex: 'none' };

/** Modules that the environment lacks and files that do not come along, each with what can be done about it. */
export function PreflightPanel({ found, editor, sending, onInsist }: Props) {
  const { set } = useForm();
  const { find, add } = editor;
  const [files, setFiles] = useState<LeftOut[]>([]);
  useEffect(() => {
    let current = true;
    leftOut(found.files ?? [], find).then((made) => current && setFiles(made));
    return () => {
      current = false;
    };
  }, [found, find]);
  const missing = found.missing ?? [];
  const take = async ({ named }: LeftOut) => {
    const file = await find?.(named.path);
    if (file) add(file);
  };
  const choose = ({ place, kind }: FoundEnvironment) => kind !== 'module' && set({ envKind: kind, envPlace: place });
  if (missing.length === 0 && files.length === 0 && !found.unchecked) return null;
  return (
    <Alert
      color={found.held ? 'red' : 'yellow'}
      variant="outline"
      icon={<IconAlert size={18} />}
      p="sm"
      role="region"
      aria-label="Before you submit"
      data-field="preflight"
      tabIndex={-1}
    >
      <Stack gap={6} align="flex-start">
        {missing.length > 0 && (
          <Text size="sm" fw={600} className="app-wrap-anywhere">
            {found.interpreter} (Python {found.python}) lacks
          </Text>
        )}
        {missing.slice(0, SHOWN).map(({ name, where, certain }) => (
          <Text key={name} size="sm" className="app-wrap-anywhere">
            <span className="app-mono">{name}</span>, imported in {where}
            {certain ? '' : ', under a condition'}
          </Text>
        ))}
        {missing.length > SHOWN && <Text size="sm">and {missing.length - SHOWN} others</Text>}
        {(found.better ?? []).length > 0 && (
          <Group gap="xs">
            {(found.better ?? []).map((one) => (
              <Button key={one.place} size="compact-sm" variant="default" title={one.place} onClick={() => choose(one)}>
                Use {one.name}
              </Button>
            ))}
          </Group>
        )}
        {files.slice(0, SHOWN).map((one) => (
          <File
            key={one.named.path}
            one={one}
            onTake={() => take(one)}
            onChoose={(file) => add({ path: one.named.path, file })}
          />
        ))}
        {found.unchecked && (
          <Text size="sm" className="app-wrap-anywhere">
            Imported modules are looked for at submission: {found.unchecked}.
          </Text>
        )}
        {found.held && (
          <Button size="compact-sm" variant="subtle" color="red" px={0} loading={sending} onClick={onInsist}>
            Submit anyway
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function File({ one, onTake, onChoose }: { one: LeftOut; onTake: () => void; onChoose: (file: File) => void }) {
  const { path, where } = one.named;
  const out = leadsOut(one.named);
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between" w="100%">
      <Text size="sm" className="app-wrap-anywhere">
        <span className="app-mono">{path}</span>, named in {where},{' '}
        {out ? 'is outside of what is submitted: give a working folder under Environment' : 'does not come along'}
      </Text>
      {!out && one.here && (
        <Button size="compact-sm" variant="default" style={NARROW} onClick={onTake} aria-label={`Take along: ${path}`}>
          Take along
        </Button>
      )}
      {!out && !one.here && (
        <FileButton onChange={(file) => file && onChoose(file)}>
          {(props) => (
            <Button {...props} size="compact-sm" variant="default" style={NARROW} aria-label={`Choose file: ${path}`}>
              Choose file
            </Button>
          )}
        </FileButton>
      )}
    </Group>
  );
}
