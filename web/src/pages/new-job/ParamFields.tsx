import { Button, Collapse, SimpleGrid, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useCallback, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { plural } from '../../lib/format';
import { IconChevronDown, IconChevronRight } from '../../parts/icons';
import styles from './Editor.module.css';
import { useForm } from './form';
import { groupsOf, MANY, matching, type Row, type RowGroup, SHOWN } from './lib/rows';
import { ParamField } from './ParamField';

interface Props {
  rows: readonly Row[];
  variables: Record<string, string>;
}

/** The fields of all parameters: by the headings of the script, and where there are many, folded and to be searched. */
export function ParamFields({ rows, variables }: Props) {
  const [wanted, setWanted] = useState('');
  const searched = useDeferredValue(wanted);
  const many = rows.length > MANY;
  const groups = useMemo(() => groupsOf(rows), [rows]);
  const found = useMemo(() => matching(rows, searched), [rows, searched]);
  return (
    <Stack gap="sm">
      {many && (
        <TextInput
          label={`Find one of ${plural(rows.length, 'parameter')}`}
          placeholder="name or help"
          size="xs"
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
      )}
      {many && searched.trim() ? (
        <>
          {!found.length && (
            <Text size="sm" c="dimmed" role="status">
              No parameter of the script contains “{searched.trim()}”.
            </Text>
          )}
          <Fields rows={found} variables={variables} />
        </>
      ) : (
        groups.map((group) => (
          <ParamGroup key={group.title} group={group} variables={variables} folded={many && group.title !== ''} />
        ))
      )}
    </Stack>
  );
}

interface GroupProps {
  group: RowGroup;
  variables: Record<string, string>;
  folded: boolean;
}

function ParamGroup({ group: { title, rows }, variables, folded }: GroupProps) {
  const { draft, wrong } = useForm();
  const [open, setOpen] = useState(!folded);
  const id = useId();
  const given = rows.filter(({ name }) => draft.params[name]?.trim()).length;
  const amiss = rows.some(({ name, param }) => `params.${name}` in wrong || (param?.required && !draft.params[name]));
  if (!title) return <Fields rows={rows} variables={variables} />;
  const shown = open || amiss;
  return (
    <div>
      <UnstyledButton
        className={styles.group}
        aria-expanded={shown}
        aria-controls={id}
        onClick={() => setOpen(!shown)}
        disabled={amiss}
      >
        {shown ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        <Text span size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Text>
        <Text span size="xs" c="dimmed">
          {rows.length}
          {given > 0 && `, ${given} given`}
        </Text>
      </UnstyledButton>
      <Collapse expanded={shown} id={id} transitionDuration={0}>
        {shown && <Fields rows={rows} variables={variables} />}
      </Collapse>
    </div>
  );
}

/** The first of them; what is given or wrong is always among them. */
function Fields({ rows, variables }: Props) {
  const form = useForm();
  const { draft, wrong } = form;
  const [all, setAll] = useState(false);
  const latest = useRef(form);
  latest.current = form;
  const onWrite = useCallback((name: string, text: string) => {
    const { draft, set } = latest.current;
    set({ params: { ...draft.params, [name]: text } });
  }, []);
  const onRemove = useCallback((name: string) => {
    const { draft, set } = latest.current;
    const { [name]: _, ...params } = draft.params;
    set({ params, added: draft.added.filter((one) => one !== name) });
  }, []);
  const needed = ({ name, param }: Row) =>
    `params.${name}` in wrong || Boolean(draft.params[name]) || param?.required || draft.added.includes(name);
  const shown = all ? rows : rows.filter((row, i) => i < SHOWN || needed(row));
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="sm">
        {shown.map((row) => (
          <ParamField
            key={row.name}
            row={row}
            variable={row.name in variables}
            text={draft.params[row.name] ?? ''}
            error={wrong[`params.${row.name}`]}
            onWrite={onWrite}
            onRemove={onRemove}
          />
        ))}
      </SimpleGrid>
      {shown.length < rows.length && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setAll(true)}>
          Show {rows.length - shown.length} more
        </Button>
      )}
    </>
  );
}
