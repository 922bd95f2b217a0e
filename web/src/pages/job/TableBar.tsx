import { Button, CloseButton, Menu, TextInput } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { useMe } from '../../api/me';
import type { JobDetail, TaskState } from '../../api/types';
import { plural } from '../../lib/format';
import { isJudged, rowName } from '../../lib/objective';
import { IconChevronDown, IconClose, IconCompare, IconRefresh, IconSearch, IconStop } from '../../parts/icons';
import { StateBadge } from '../../parts/StateBadge';
import { STATES } from '../../parts/states';
import styles from './Job.module.css';
import { chips, replaced } from './lib/brush';
import { useActs } from './useActs';
import { type SetView, useResting, type View } from './view';

interface Props {
  job: JobDetail;
  total: number;
  /** How many the filter leaves. */
  left: number;
  selected: ReadonlySet<string>;
  comparing: boolean;
  view: View;
  setView: SetView;
  onSelected: (ids: ReadonlySet<string>) => void;
  /** At the end of the bar. */
  columns: ReactNode;
}

const NONE: ReadonlySet<string> = new Set();
const LOOK = { variant: 'default', size: 'compact-xs' } as const;

/** Above the table: what it shows, and what can be done with the rows that are chosen. */
export const TableBar = memo(function TableBar(props: Props) {
  const { job, total, left, selected, comparing, view, setView, onSelected } = props;
  const { can } = useMe();
  const one = rowName(job);
  const [text, setText] = useResting(view.filter, (filter) => setView({ filter }));
  const toggle = (state: TaskState) =>
    setView({ state: view.state.includes(state) ? view.state.filter((one) => one !== state) : [...view.state, state] });
  return (
    <>
      <div className={styles.bar}>
        <TextInput
          className={styles.search}
          size="xs"
          type="search"
          data-search
          aria-label="Filter configurations"
          placeholder={isJudged(job) ? 'Filter: adam lr<0.01 best<=0.2' : 'Filter'}
          title="Words that a row must have, and comparisons: a parameter, best, at, epoch, last, state, number, trial"
          leftSection={<IconSearch size={14} />}
          rightSection={text && <CloseButton size="xs" aria-label="Clear the filter" onClick={() => setText('')} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && setText('')}
        />
        <fieldset className={styles.toggles} aria-label="States">
          {STATES.filter((state) => (job.counts[state] ?? 0) > 0 || view.state.includes(state)).map((state) => (
            <button
              key={state}
              type="button"
              className={styles.toggle}
              aria-pressed={view.state.includes(state)}
              onClick={() => toggle(state)}
            >
              <StateBadge state={state} count={job.counts[state] ?? 0} />
            </button>
          ))}
        </fieldset>
      </div>
      <Brushes view={view} setView={setView} />
      <div className={styles.bar}>
        {selected.size === 0 ? (
          <span className={styles.count}>
            {left < total ? `${left.toLocaleString('en-US')} of ${plural(total, one)}` : plural(total, one)}
            {job.configurations != null && ` of ${plural(job.configurations, 'configuration')}`}
            <span className={styles.hint}>
              {' '}
              · select rows to compare{can('restart', job) && ', stop or restart'} them
            </span>
          </span>
        ) : (
          <Selection job={job} selected={selected} comparing={comparing} setView={setView} onSelected={onSelected} />
        )}
        {props.columns}
      </div>
    </>
  );
});

/** What was brushed in parallel coordinates, each to be taken back. */
function Brushes({ view, setView }: { view: View; setView: SetView }) {
  const found = chips(view.brush);
  if (found.length === 0) return null;
  return (
    <div className={styles.bar}>
      <fieldset className={styles.toggles} aria-label="Brushed">
        {found.map(({ name, text }) => (
          <Button
            key={name}
            {...LOOK}
            rightSection={<IconClose size={12} />}
            aria-label={`Remove the brush of ${name}`}
            onClick={() => setView({ brush: replaced(view.brush, name, []) })}
          >
            {name} {text}
          </Button>
        ))}
      </fieldset>
    </div>
  );
}

interface SelectionProps {
  job: JobDetail;
  selected: ReadonlySet<string>;
  comparing: boolean;
  setView: SetView;
  onSelected: (ids: ReadonlySet<string>) => void;
}

const Selection = memo(function Selection({ job, selected, comparing, setView, onSelected }: SelectionProps) {
  const { can } = useMe();
  const { ask, busy, modal } = useActs(job.id);
  const tasks = [...selected];
  return (
    <>
      <strong className={styles.count}>{tasks.length.toLocaleString('en-US')} selected</strong>
      <Button
        {...LOOK}
        variant={comparing ? 'filled' : 'default'}
        aria-pressed={comparing}
        leftSection={<IconCompare size={14} />}
        onClick={() => setView({ compare: !comparing })}
      >
        Compare
      </Button>
      {can('stop', job) && (
        <Button
          {...LOOK}
          leftSection={<IconStop size={14} />}
          loading={busy}
          onClick={() => ask({ kind: 'stop', tasks })}
        >
          Stop
        </Button>
      )}
      {can('restart', job) && (
        <Menu>
          <Menu.Target>
            <Button
              {...LOOK}
              leftSection={<IconRefresh size={14} />}
              rightSection={<IconChevronDown size={12} />}
              loading={busy}
            >
              Restart
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => ask({ kind: 'restart', tasks })}>From the start</Menu.Item>
            <Menu.Item onClick={() => ask({ kind: 'restart', tasks, resume: true })}>From the checkpoint</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <Button {...LOOK} leftSection={<IconClose size={14} />} onClick={() => onSelected(NONE)}>
        Clear
      </Button>
      {modal}
    </>
  );
});
