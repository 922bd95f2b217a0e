import { ActionIcon, Button, Group, Popover } from '@mantine/core';
import { useState } from 'react';
import { useDeleteView, useSaveView, useViews } from '../../api/jobs';
import { IconClose, IconPlus } from '../../parts/icons';
import { done, failed } from '../../parts/notify';
import { OneLineForm } from '../../parts/OneLineForm';
import styles from './JobsToolbar.module.css';
import { currentView, DEFAULTS, NAMED, toSaved, toView, type View } from './jobsLib';

interface Props {
  view: View;
  onChange: (change: Partial<View>) => void;
}

const ALL = Object.fromEntries(NAMED.map((name) => [name, DEFAULTS[name]]));

/** Named filters, one press each. They are kept on the server: another browser shows them, too. */
export function SavedViews({ view, onChange }: Props) {
  const { data: saved = [] } = useViews();
  const remove = useDeleteView();
  const current = currentView(view, saved);
  const changed = NAMED.some((name) => view[name] !== DEFAULTS[name]);
  if (saved.length === 0 && !changed) return null;
  return (
    <Group gap={6} mb="sm" role="group" aria-label="Saved views">
      {saved.length > 0 && (
        <button type="button" className={styles.chip} aria-pressed={!changed} onClick={() => onChange(ALL)}>
          All jobs
        </button>
      )}
      {saved.map((one) => (
        <span key={one.name} className={styles.view}>
          <button
            type="button"
            className={styles.chip}
            aria-pressed={one === current}
            onClick={() => onChange(toView(one))}
          >
            {one.name}
          </button>
          {one === current && (
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={`Delete the view ${one.name}`}
              onClick={() => remove.mutate(one.name, { onError: failed })}
            >
              <IconClose size={13} />
            </ActionIcon>
          )}
        </span>
      ))}
      {changed && !current && <SaveView view={view} />}
    </Group>
  );
}

function SaveView({ view }: { view: View }) {
  const save = useSaveView();
  const [opened, setOpened] = useState(false);
  const submit = (name: string) => {
    const close = () => {
      setOpened(false);
      done(`The view ${name} is saved`);
    };
    save.mutate(toSaved(name, view), { onError: failed, onSuccess: close });
  };
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus position="bottom-start" shadow="md">
      <Popover.Target>
        <Button size="compact-xs" variant="subtle" leftSection={<IconPlus size={13} />} onClick={() => setOpened(true)}>
          Save this view
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <OneLineForm
          label="Name of the view"
          placeholder="failed tonight"
          action="Save"
          loading={save.isPending}
          onSubmit={submit}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
