import { ActionIcon, Button, Group, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { downloadUrl, imageUrl, useFilePreview } from '../../../api/files';
import type { FilePreview } from '../../../api/types';
import { bytes, plural } from '../../../lib/format';
import { IconClose, IconDownload } from '../../../parts/icons';
import { Loaded } from '../../../parts/Page';
import styles from './Files.module.css';

const END = -262_144;

interface Props {
  task: string;
  path: string;
  onClose: () => void;
}

/** A file as people read it, as far as that is possible. */
export function FileView({ task, path, onClose }: Props) {
  const [offset, setOffset] = useState(0);
  const preview = useFilePreview(task, path, offset);
  const data = preview.data;
  const long = data !== undefined && (data.more || (data.start ?? 0) > 0) && data.kind !== 'binary';
  return (
    <section className="app-panel" aria-label="File">
      <div className={styles.bar}>
        <h2 className="app-panel-title app-mono">{path}</h2>
        <Group gap="xs">
          {data && <span className={styles.dim}>{bytes(data.size)}</span>}
          {long && (
            <SegmentedControl
              size="xs"
              aria-label="Part of the file"
              data={[
                { value: '0', label: 'Beginning' },
                { value: String(END), label: 'End' },
              ]}
              value={String(offset)}
              onChange={(value) => setOffset(Number(value))}
            />
          )}
          <Button
            size="compact-sm"
            variant="default"
            component="a"
            href={downloadUrl(task, path)}
            download
            leftSection={<IconDownload size={14} />}
          >
            Download
          </Button>
          <ActionIcon size="sm" aria-label="Close the file" onClick={onClose}>
            <IconClose size={14} />
          </ActionIcon>
        </Group>
      </div>
      <Loaded query={preview} what="file">
        {(found) => <Content task={task} preview={found} />}
      </Loaded>
    </section>
  );
}

function Content({ task, preview }: { task: string; preview: FilePreview }) {
  if (preview.kind === 'image')
    return (
      <div className={styles.picture}>
        <img src={imageUrl(task, preview)} alt={preview.path} />
        <span className={styles.dim}>
          {preview.width} × {preview.height}
        </span>
      </div>
    );
  if (preview.kind === 'binary') return <p className={styles.empty}>This file is not text: download it.</p>;
  if (preview.kind === 'table') return <TableContent preview={preview} />;
  return <TextContent text={preview.text ?? ''} label={preview.path} />;
}

export function TextContent({ text, label }: { text: string; label: string }) {
  if (text === '') return <p className={styles.empty}>The file is empty.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.text} tabIndex={0} aria-label={`Text of ${label}`}>
      <pre>{text}</pre>
    </section>
  );
}

function TableContent({ preview }: { preview: FilePreview }) {
  const { columns = [], rows = [] } = preview;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.table} tabIndex={0} aria-label={`Table of ${preview.path}`}>
      <table className="app-table">
        <thead>
          <tr>
            {columns.map((name, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names of columns may be equal
              <th key={i}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names
            <tr key={i}>
              {row.map((cell, j) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={j}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {preview.more && <p className={styles.empty}>The first {plural(rows.length, 'row')} are shown.</p>}
    </section>
  );
}
