import {
  Autocomplete,
  Button,
  Collapse,
  Input,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { useNodes } from '../../api/load';
import { useBackends, useProfiles } from '../../api/system';
import type { BackendInfo, Node, Resources } from '../../api/types';
import { IconChevronDown, IconChevronUp } from '../../parts/icons';
import styles from './Editor.module.css';
import { useForm, useNumber } from './form';
import {
  backendOf,
  FURTHER,
  isOfTriple,
  isShown,
  joinTriple,
  type ResourceName,
  splitTriple,
  without,
} from './lib/resources';
import { isRange } from './lib/room';

const LAUNCHERS = ['torchrun', 'tensorflow', 'srun'] satisfies NonNullable<Resources['launcher']>[];
const COLUMNS = { base: 2, md: 3 };

/** What one task needs, where, and how many run at a time. */
export function ResourceFields() {
  const { draft, set, wrong } = useForm();
  const number = useNumber();
  const backends = useBackends().data ?? [];
  const profiles = useProfiles().data ?? {};
  const texts = draft.resources;
  const backend = backendOf(texts, backends, profiles);
  const defaults = [profiles[texts.profile], backend?.defaults];
  const resource = useResource();
  const names = listed(
    backends.map(({ name }) => name),
    texts.backend,
  );
  const known = listed(Object.keys(profiles), texts.profile);
  return (
    <Stack gap="sm">
      <SimpleGrid cols={COLUMNS} spacing="sm">
        {(names.length > 1 || wrong['resources.backend']) && (
          <Select
            label="Backend"
            placeholder={backends.find((one) => one.default)?.name ?? 'the server’s default'}
            data={names}
            clearable
            {...resource.choice('backend')}
          />
        )}
        {(known.length > 0 || wrong['resources.profile']) && (
          <Select label="Profile" placeholder="none" data={known} clearable {...resource.choice('profile')} />
        )}
        <TextInput
          label="GPUs per task"
          placeholder={without('gpus', defaults, '1 if there are any')}
          {...resource.text('gpus')}
        />
        <NumberInput label="CPUs per task" placeholder={without('cpus', defaults, '1')} {...resource.number('cpus')} />
        <TextInput
          label="Memory per task"
          placeholder={without('memory', defaults, 'such as 16G')}
          {...resource.text('memory')}
        />
        <TextInput
          label="Time limit"
          placeholder={without('time_limit', defaults, 'such as 4h')}
          {...resource.text('time_limit')}
        />
        <Autocomplete
          label="Tasks per GPU"
          placeholder={without('per_gpu', defaults, '1, or auto')}
          data={['auto']}
          renderOption={() => <AutoOption />}
          comboboxProps={{ width: 300, position: 'bottom-start' }}
          {...resource.word('per_gpu')}
        />
        <NumberInput label="Tasks at a time" placeholder="as many as fit" {...number('parallel', 'parallel')} />
      </SimpleGrid>
      {(isRange(texts.gpus) || draft.keepSize) && (
        <Switch
          label="Tasks keep the number of GPUs that they begin with"
          description="Otherwise the server chooses it within the range, and changes it when that pays"
          checked={draft.keepSize}
          error={wrong['elastic.keep_size']}
          data-field="elastic.keep_size"
          onChange={(event) => set({ keepSize: event.currentTarget.checked })}
        />
      )}
      {texts.per_gpu === 'auto' && (
        <Text size="xs" c="dimmed">
          {AUTO}.
        </Text>
      )}
      {wrong.resources && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert" tabIndex={-1} data-field="resources">
          {wrong.resources}
        </Text>
      )}
      <Further backend={backend} defaults={defaults} />
    </Stack>
  );
}

const AUTO = 'auto finds out how many pay; packs by memory, and never loses a task to an out-of-memory error';

function AutoOption() {
  return (
    <div>
      auto
      <Text size="xs" c="dimmed">
        {AUTO.replace('auto ', '')}
      </Text>
    </div>
  );
}

function Further({ backend, defaults }: { backend: BackendInfo | undefined; defaults: (Resources | undefined)[] }) {
  const { draft, wrong } = useForm();
  const texts = draft.resources;
  const [opened, setOpened] = useState(() => FURTHER.some((name) => texts[name] !== ''));
  const open = opened || FURTHER.some((name) => wrong[`resources.${name}`]);
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
          {open ? 'Less' : 'More'}
        </Button>
      </div>
      <Collapse expanded={open} keepMounted={false}>
        <FurtherFields backend={backend} defaults={defaults} />
      </Collapse>
    </>
  );
}

function FurtherFields({
  backend,
  defaults,
}: {
  backend: BackendInfo | undefined;
  defaults: (Resources | undefined)[];
}) {
  const { draft } = useForm();
  const resource = useResource();
  const nodes = (useNodes().data ?? []).filter((node) => node.backend === backend?.name);
  const shown = (name: ResourceName) => isShown(name, draft.resources, backend?.kind);
  const hint = (name: ResourceName, otherwise = '') => ({ placeholder: without(name, defaults, otherwise) });
  const word = (name: ResourceName, label: string, placeholder: string, data: readonly string[] = []) =>
    shown(name) && (
      <Autocomplete label={label} {...hint(name, placeholder)} data={[...data]} {...resource.word(name)} />
    );
  return (
    <Stack gap="sm">
      <SimpleGrid cols={COLUMNS} spacing="sm">
        {word('partition', 'Partition', 'the cluster’s default', backend?.partitions)}
        {word('gpu_type', 'GPU type', 'any', gpuTypes(nodes))}
        {shown('nodes') && <NumberInput label="Nodes per task" {...hint('nodes', '1')} {...resource.number('nodes')} />}
        {shown('launcher') && (
          <Select
            label="Launcher"
            description="How the processes of a task over several nodes find each other"
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            {...hint('launcher', 'none')}
            data={LAUNCHERS}
            clearable
            {...resource.choice('launcher')}
          />
        )}
        <NumberInput label="Tasks side by side" {...hint('slots', '1')} {...resource.number('slots')} />
        {shown('only') && (
          <TextInput
            label="Only on hosts"
            {...hint('only', `any; such as ${nodes[0]?.name ?? 'gpu1, gpu[3-8]'}`)}
            {...resource.text('only')}
          />
        )}
        {word('account', 'Account', 'yours')}
        {word('qos', 'QOS', 'the cluster’s default')}
        {word('constraint', 'Constraint', 'such as a100&nvlink', featuresOf(nodes))}
        {word('reservation', 'Reservation', 'none')}
        {shown('nodelist') && (
          <TextInput label="Only on nodes" {...hint('nodelist', 'any')} {...resource.text('nodelist')} />
        )}
        {shown('exclude') && (
          <TextInput label="Not on nodes" {...hint('exclude', 'none')} {...resource.text('exclude')} />
        )}
        {shown('nice') && (
          <NumberInput
            label="Nice"
            description="Priority given up for others"
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            {...hint('nice', '0')}
            {...resource.number('nice')}
          />
        )}
      </SimpleGrid>
      <TripleField />
      {shown('container') && (
        <TextInput
          label="Container image"
          description="A file or folder that the nodes see, or a name such as docker://pytorch/pytorch"
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          {...hint('container', 'none')}
          {...resource.text('container')}
        />
      )}
      {shown('options') && (
        <Textarea
          label="Further options of sbatch"
          description="One per line, as on its command line"
          {...hint('options', '--licenses=matlab:1')}
          autosize
          minRows={2}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...resource.text('options')}
        />
      )}
    </Stack>
  );
}

const TRIPLE = [
  ['nodes', 'Nodes'],
  ['tasks', 'Tasks a node'],
  ['threads', 'Threads a task'],
] as const;

/** Nodes × tasks on each × threads of each, in place of the single fields. */
function TripleField() {
  const { draft, wrong } = useForm();
  const { write } = useResource();
  const parts = splitTriple(draft.resources.triple);
  const change = (at: number, value: string) =>
    write('triple', joinTriple(parts.map((part, i) => (i === at ? value : part))));
  return (
    <Input.Wrapper
      label="Nodes × tasks × threads"
      labelElement="div"
      description="In place of GPUs, CPUs, tasks per GPU, nodes and tasks side by side"
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      error={wrong['resources.triple']}
    >
      <div className={styles.triple}>
        {TRIPLE.map(([short, name], i) => (
          <NumberInput
            key={name}
            aria-label={name}
            placeholder={short}
            value={parts[i]}
            error={wrong['resources.triple'] !== undefined}
            data-field={i === 0 ? 'resources.triple' : undefined}
            hideControls
            allowNegative={false}
            allowDecimal={false}
            onChange={(value) => change(i, String(value))}
          />
        ))}
      </div>
    </Input.Wrapper>
  );
}

/** The properties of a field of the resources, by how it is written. */
function useResource() {
  const { draft, set, wrong } = useForm();
  const field = (name: ResourceName) => ({
    value: draft.resources[name],
    error: wrong[`resources.${name}`],
    disabled: isOfTriple(name, draft.resources),
    'data-field': `resources.${name}`,
  });
  const write = (name: ResourceName, text: string) => set({ resources: { ...draft.resources, [name]: text } });
  return {
    write,
    text: (name: ResourceName) => ({
      ...field(name),
      autoComplete: 'off',
      onChange: (event: { currentTarget: { value: string } }) => write(name, event.currentTarget.value),
    }),
    word: (name: ResourceName) => ({ ...field(name), onChange: (text: string) => write(name, text) }),
    choice: (name: ResourceName) => ({
      ...field(name),
      value: draft.resources[name] || null,
      onChange: (text: string | null) => write(name, text ?? ''),
    }),
    number: (name: ResourceName) => ({
      ...field(name),
      hideControls: true,
      allowNegative: false,
      allowDecimal: false,
      onChange: (value: number | string) => write(name, String(value)),
    }),
  };
}

/** What there is, and what is written although it is not. */
function listed(known: readonly string[], written: string): string[] {
  return written && !known.includes(written) ? [...known, written] : [...known];
}

function gpuTypes(nodes: readonly Node[]): string[] {
  const gpus = nodes.flatMap(({ devices = [] }) => devices.filter(({ kind }) => kind === 'gpu'));
  return [...new Set(gpus.map(({ name }) => name ?? ''))].filter(Boolean);
}

function featuresOf(nodes: readonly Node[]): string[] {
  return [...new Set(nodes.flatMap(({ features = [] }) => features))].sort();
}
