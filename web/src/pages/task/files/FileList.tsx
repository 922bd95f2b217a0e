import { ActionIcon, Anchor } from '@mantine/core';
import { downloadUrl } from '../../../api/files';
import type { FileEntry } from '../../../api/types';
import { bytes } from '../../../lib/format';
import { IconDownload, IconFile, IconFolder } from '../../../parts/icons';
import { RelativeTime } from '../../../parts/RelativeTime';
import styles from './Files.module.css';

interface Props {
  task: string;
  items: readonly FileEntry[];
  /** The path of the file that is shown. */
  shown: string;
  onOpen: (folder: string) => void;
  onShow: (file: string) => void;
}

export function FileList({ task, items, shown, onOpen, onShow }: Props) {
  if (items.length === 0) return null;
  return (
    <table className={`app-table ${styles.list}`}>
      <thead>
        <tr>
          <th>Name</th>
          <th className={styles.size}>Size</th>
          <th className={styles.changed}>Changed</th>
          <th>
            <span className={styles.hidden}>Download</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((one) => {
          const opens = one.kind === 'folder' || one.kind === 'file';
          const Icon = one.kind === 'folder' ? IconFolder : IconFile;
          return (
            <tr key={one.path} data-shown={one.path === shown || undefined}>
              <td>
                <span className={styles.name}>
                  <Icon size={15} className={styles.icon} />
                  {opens ? (
                    <Anchor
                      component="button"
                      type="button"
                      size="sm"
                      className={styles.open}
                      onClick={() => (one.kind === 'folder' ? onOpen : onShow)(one.path)}
                    >
                      {one.name}
                    </Anchor>
                  ) : (
                    <span className="app-wrap-anywhere">
                      {one.name} <small>{whatItIs(one)}</small>
                    </span>
                  )}
                </span>
              </td>
              <td className={styles.size}>{one.size == null ? '' : bytes(one.size)}</td>
              <td className={styles.changed}>{one.modified_at && <RelativeTime at={one.modified_at} />}</td>
              <td className={styles.act}>
                {opens && (
                  <ActionIcon
                    size="sm"
                    component="a"
                    href={downloadUrl(task, one.path)}
                    download
                    aria-label={`Download ${one.name}`}
                  >
                    <IconDownload size={14} />
                  </ActionIcon>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Why something cannot be opened. */
function whatItIs({ kind, target }: FileEntry): string {
  if (kind === 'other') return 'not a file';
  return target == null ? 'has a second name elsewhere' : `link to ${target}`;
}
