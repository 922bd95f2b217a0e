import { Button, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useNoteTask } from '../../api/files';
import { useMe } from '../../api/me';
import type { TaskDetail } from '../../api/types';
import { IconEdit, IconPlus } from '../../parts/icons';
import { LazyMarkdown } from '../../parts/LazyMarkdown';
import { failed } from '../../parts/notify';
import styles from './task.module.css';

/** What people write about a task, in Markdown. */
export function TaskNote({ task }: { task: TaskDetail }) {
  const { can } = useMe();
  const [text, setText] = useState<string | null>(null);
  const write = useNoteTask(task.id);
  const note = task.note ?? '';
  const editable = can('edit', task);
  if (text !== null) {
    const save = () => write.mutate(text, { onSuccess: () => setText(null), onError: failed });
    return (
      <section className={`app-panel ${styles.noteForm}`} aria-label="Note">
        <Textarea
          label="Note"
          description="Markdown: **bold**, `code`, lists, links"
          value={text}
          autosize
          minRows={3}
          maxRows={16}
          maxLength={20_000}
          autoFocus
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt="xs" gap="xs">
          <Button size="xs" variant="default" onClick={() => setText(null)}>
            Cancel
          </Button>
          <Button size="xs" loading={write.isPending} onClick={save}>
            Save
          </Button>
        </Group>
      </section>
    );
  }
  if (!note) {
    if (!editable) return null;
    return (
      <div>
        <Button size="compact-sm" variant="subtle" leftSection={<IconPlus size={14} />} onClick={() => setText('')}>
          Add a note
        </Button>
      </div>
    );
  }
  return (
    <section className={`app-panel ${styles.noteText}`} aria-label="Note">
      <div className={styles.noteWords}>
        <LazyMarkdown text={note} />
      </div>
      {editable && (
        <Button size="compact-sm" variant="subtle" leftSection={<IconEdit size={14} />} onClick={() => setText(note)}>
          Edit note
        </Button>
      )}
    </section>
  );
}
