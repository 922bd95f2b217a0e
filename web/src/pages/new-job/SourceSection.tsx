import { Button, Group, SegmentedControl, Select, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { ErrorPanel } from '../../parts/ErrorPanel';
import { FileDrop } from '../../parts/FileDrop';
import { FilesSummary } from './FilesSummary';
import { useForm, useText } from './form';
import { scriptsOf, tooLarge } from './lib/files';
import { Section } from './Section';
import { scriptChosen, type useEditor } from './useEditor';

interface Props {
  editor: ReturnType<typeof useEditor>;
  /** Why the script could not be read. */
  reading: unknown;
}

const MODES = [
  { value: 'script', label: 'Script' },
  { value: 'command', label: 'Command' },
];

/** What is run: a script out of files, or a command. */
export function SourceSection({ editor, reading }: Props) {
  const { files, ignored, take } = editor;
  const { draft, set, wrong } = useForm();
  const text = useText();
  const [changing, setChanging] = useState(false);
  const scripts = scriptsOf(files.map(({ path }) => path));
  const large = tooLarge(files);
  const isCommand = draft.mode === 'command';
  return (
    <Section
      title="What to run"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="What to run"
          data={MODES}
          value={draft.mode}
          onChange={(mode) => set({ mode: mode === 'command' ? 'command' : 'script' })}
        />
      }
    >
      {isCommand && (
        <Textarea
          label="Command"
          description="Run by the shell, once per task; {name} stands for the value of a hyperparameter."
          placeholder="python train.py --lr {lr} --epochs 20"
          autosize
          minRows={2}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...text('command', 'command')}
        />
      )}
      {(isCommand || draft.reduce || wrong.reduce) && (
        <TextInput
          label="When all have finished"
          description="Run by the shell as one more task; {results} stands for the folder of what the others made."
          placeholder="nothing more; such as python gather.py {results}"
          autoComplete="off"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...text('reduce', 'reduce')}
        />
      )}
      {files.length > 0 && !changing ? (
        <FilesSummary files={files} ignored={ignored} onChange={() => setChanging(true)} />
      ) : (
        <>
          <FileDrop
            label={isCommand ? 'Drop files that the command needs, if any' : 'Drop a training script or a folder here'}
            onFiles={(given) => {
              setChanging(false);
              take(given);
            }}
          />
          {changing && (
            <Group>
              <Button size="compact-sm" variant="subtle" onClick={() => setChanging(false)}>
                Keep the files that are there
              </Button>
            </Group>
          )}
          {!isCommand && files.length === 0 && <Hints />}
        </>
      )}
      {(wrong.files || large) && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" className="app-wrap-anywhere">
          {wrong.files ?? large}
        </Text>
      )}
      {!isCommand && files.length > 0 && (scripts.length !== 1 || wrong.script) && (
        <Select
          label="Script"
          description={scripts.length ? undefined : 'There is no .py file among them: drop others, or give a command.'}
          placeholder="Which one is run?"
          data={scripts}
          value={draft.script}
          onChange={(script) => set(scriptChosen(draft, script))}
          error={wrong.script}
          data-field="script"
          searchable={scripts.length > 8}
          allowDeselect={false}
          disabled={scripts.length === 0}
        />
      )}
      {reading !== null && <ErrorPanel error={reading} title="The script could not be read" />}
    </Section>
  );
}

function Hints() {
  return (
    <Text size="sm" c="dimmed">
      The script is read, never run here: its hyperparameters become the form. A script that imports your own modules
      needs its whole folder; <span className="app-mono">.gitignore</span> and{' '}
      <span className="app-mono">.paddockignore</span> are obeyed. No script at hand?{' '}
      <Link href="/new?sample=1" className="app-link" style={{ textDecoration: 'underline' }}>
        Take the sample
      </Link>
      .
    </Text>
  );
}
