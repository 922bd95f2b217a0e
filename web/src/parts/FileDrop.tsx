import { Button, Group, Text } from '@mantine/core';
import { type DragEvent, useRef, useState } from 'react';
import { leftOut } from '../api/submissions';
import { fromDrop, fromInput, type Taken } from '../lib/files';
import styles from './FileDrop.module.css';
import { IconFolder, IconUpload } from './icons';
import { failed } from './notify';

interface Props {
  onFiles: (taken: Taken) => void;
  label?: string;
}

/** A script, several files or a whole folder, dropped or chosen. Paths are relative to the folder. */
export function FileDrop({ onFiles, label = 'Drop a training script or a folder here' }: Props) {
  const [over, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (found: Promise<Taken>) => found.then((taken) => taken.files.length && onFiles(taken), failed);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(fromDrop(event.dataTransfer, leftOut));
  };
  const chosen = (input: HTMLInputElement) => {
    take(fromInput(input.files ?? [], leftOut));
    input.value = '';
  };
  return (
    <section
      aria-label={label}
      className={`${styles.drop} ${over ? styles.over : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <IconUpload size={28} style={{ color: 'var(--mantine-color-dimmed)' }} />
      <Text>{label}</Text>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => files.current?.click()}>
          Choose files
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconFolder size={14} />}
          onClick={() => folder.current?.click()}
        >
          Choose a folder
        </Button>
      </Group>
      <input ref={files} type="file" multiple hidden aria-label="Files" onChange={(e) => chosen(e.currentTarget)} />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label="Folder"
        {...{ webkitdirectory: '' }}
        onChange={(e) => chosen(e.currentTarget)}
      />
    </section>
  );
}
