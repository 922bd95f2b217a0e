import { CloseButton, Select, TextInput } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { useFacets } from '../../api/jobs';
import { useMe } from '../../api/me';
import { IconSearch, IconSort } from '../../parts/icons';
import { STATES } from '../../parts/states';
import { focusRow } from './focusRow';
import styles from './JobsToolbar.module.css';
import { DEFAULTS, SORTS, type View } from './jobsLib';
import { useSearchText } from './useSearchText';

interface Props {
  view: View;
  onChange: (change: Partial<View>) => void;
}

export function JobsToolbar({ view, onChange }: Props) {
  const { team, name } = useMe();
  const { data: facets } = useFacets();
  const [text, setText] = useSearchText(view.q, (q) => onChange({ q }));
  const onKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape' && text) setText('');
    else if (event.key === 'Escape') event.currentTarget.blur();
    else if (event.key === 'ArrowDown') focusRow(0);
    else return;
    event.preventDefault();
  };
  return (
    <search className={styles.bar}>
      <TextInput
        data-search
        aria-label="Search jobs"
        placeholder="Search name, description or id  ( / )"
        leftSection={<IconSearch />}
        rightSection={text && <CloseButton size="sm" aria-label="Clear the search" onClick={() => setText('')} />}
        className={styles.search}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <Pick label="State" any="Any state" value={view.state} data={STATES} onChange={(state) => onChange({ state })} />
      <Pick label="Tag" any="Any tag" value={view.tag} data={facets?.tags} onChange={(tag) => onChange({ tag })} />
      <Pick
        label="Owner"
        any={team ? 'Everybody' : 'Any owner'}
        value={view.owner}
        data={facets && (team ? [...new Set([name, ...facets.owners])] : facets.owners)}
        text={(owner) => (team && owner === name ? 'Mine' : owner)}
        onChange={(owner) => onChange({ owner })}
      />
      <Select
        aria-label="Sort"
        className={styles.pick}
        leftSection={<IconSort />}
        allowDeselect={false}
        value={SORTS.some(({ value }) => value === view.sort) ? view.sort : DEFAULTS.sort}
        data={SORTS}
        onChange={(sort) => onChange({ sort: sort ?? DEFAULTS.sort })}
      />
    </search>
  );
}

interface PickProps {
  label: string;
  any: string;
  value: string;
  data: readonly string[] | undefined;
  text?: (value: string) => string;
  onChange: (value: string) => void;
}

/** One value of those that there are, or any. What the address names is shown even when there is none of it any more. */
function Pick({ label, any, value, data = [], text = String, onChange }: PickProps) {
  const shown = value && !data.includes(value) ? [...data, value] : data;
  return (
    <Select
      aria-label={label}
      placeholder={any}
      className={styles.pick}
      clearable
      clearButtonProps={{ 'aria-label': any }}
      searchable={data.length > 8}
      nothingFoundMessage="None"
      value={value || null}
      data={shown.map((one) => ({ value: one, label: text(one) }))}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}
