import { Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useEnvironments } from '../../api/system';
import type { FoundEnvironment } from '../../api/types';
import { useForm, useText } from './form';
import { ENV_KINDS, type EnvKind } from './lib/draft';
import { maskedIn } from './lib/masks';
import { CONVENTIONS } from './lib/words';

const KINDS: Record<EnvKind, string> = {
  default: 'The server’s own',
  python: 'An interpreter',
  venv: 'A virtual environment',
  conda: 'A conda environment',
};
const PLACES: Record<EnvKind, { label: string; placeholder: string }> = {
  default: { label: '', placeholder: '' },
  python: { label: 'Interpreter', placeholder: '/usr/bin/python3.12' },
  venv: { label: 'Folder of the environment', placeholder: '/home/me/project/.venv' },
  conda: { label: 'Name or folder of the environment', placeholder: 'torch' },
};
const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

/** Values of a job that is submitted again are not shown: what stands in their place needs a word. */
function variablesHint(variables: string): string {
  const jobs = maskedIn(variables);
  const masked = jobs.length
    ? `. … stands for the value in job ${jobs.join(', ')}: it is used again, and not shown`
    : '';
  return `NAME=value, one per line${masked}`;
}

function keyOf({ kind, place }: FoundEnvironment): string {
  return `${kind} ${place}`;
}

/** `conda torch · Python 3.11 · torch 2.4.1, numpy 1.26` */
function environmentLabel({ kind, name, python, packages }: FoundEnvironment): string {
  const parts = [`${kind} ${name}`, python && `Python ${python}`, (packages ?? []).slice(0, 4).join(', ')];
  return parts.filter(Boolean).join(' · ');
}

/** Where the script's Python comes from, and what is set around it. */
export function EnvironmentFields() {
  const { draft, set, wrong } = useForm();
  const text = useText();
  const kind = draft.envKind;
  const { data: environments } = useEnvironments();
  const offered = (environments ?? []).map((one) => ({ value: keyOf(one), label: environmentLabel(one) }));
  const use = (one: FoundEnvironment | undefined) => {
    if (one?.kind === 'module') set({ setup: `${draft.setup.trim()}\nmodule load ${one.place}`.trim() });
    else if (one) set({ envKind: one.kind, envPlace: one.place });
  };
  return (
    <Stack gap="sm">
      {offered.length > 0 && (
        <Select
          label="Found on the server"
          placeholder="Choose an environment"
          data={offered}
          value={null}
          onChange={(chosen) => use(environments?.find((one) => keyOf(one) === chosen))}
          searchable={offered.length > 8}
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <Select
          label="Python"
          data={ENV_KINDS.map((value) => ({ value, label: KINDS[value] }))}
          value={kind}
          onChange={(chosen) => set({ envKind: ENV_KINDS.find((one) => one === chosen) ?? 'default' })}
          error={wrong.environment}
          data-field="environment"
          allowDeselect={false}
        />
        {kind !== 'default' && (
          <TextInput {...PLACES[kind]} styles={MONO} {...text('envPlace', `environment.${kind}`)} />
        )}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <Textarea
          label="Set-up lines"
          placeholder="module load cuda"
          description="Shell lines run before"
          autosize
          minRows={2}
          styles={MONO}
          {...text('setup', 'environment.setup')}
        />
        <Textarea
          label="Variables"
          placeholder="OMP_NUM_THREADS=4"
          description={variablesHint(draft.variables)}
          autosize
          minRows={2}
          styles={MONO}
          {...text('variables', 'environment.variables')}
        />
      </SimpleGrid>
      <TextInput
        label="Working folder"
        placeholder="a folder of its own for each task"
        description="Where all tasks run, so that paths such as ../data are found; what they write there is shared"
        autoComplete="off"
        styles={MONO}
        {...text('workdir', 'workdir')}
      />
      {draft.mode === 'script' && (
        <Select
          label="How hyperparameters are passed"
          data={Object.entries(CONVENTIONS).map(([value, label]) => ({ value, label }))}
          value={draft.convention}
          onChange={(convention) => set({ convention: convention ?? 'auto' })}
          error={wrong.convention}
          data-field="convention"
          allowDeselect={false}
        />
      )}
    </Stack>
  );
}
