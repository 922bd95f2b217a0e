import { Anchor, Breadcrumbs, Button, Group } from '@mantine/core';
import { downloadUrl, useFolder } from '../../../api/files';
import type { TaskDetail } from '../../../api/types';
import { plural } from '../../../lib/format';
import { useUrlState } from '../../../lib/urlState';
import { IconDownload } from '../../../parts/icons';
import { Loaded } from '../../../parts/Page';
import { FileList } from './FileList';
import styles from './Files.module.css';
import { FileView } from './FileView';
import { Gallery } from './Gallery';

const PLACE = { path: '', file: '' };

/** What a task has written: its images by step, and all its files. */
export default function FilesTab({ task }: { task: TaskDetail }) {
  const [{ path, file }, setPlace] = useUrlState(PLACE);
  const grows = task.ended_at == null;
  const folder = useFolder(task.id, path, grows);
  const open = (next: string) => setPlace({ path: next, file: '' });
  const parts = path.split('/').filter(Boolean);
  const shortcuts = [
    { name: 'All', at: '' },
    { name: 'Working folder', at: 'work' },
    { name: 'Checkpoint', at: 'checkpoint' },
    { name: 'Logs', at: `attempts/${task.attempt}` },
  ];
  return (
    <>
      <Gallery task={task.id} grows={grows} />
      <section className="app-panel" aria-label="Files">
        <div className={styles.bar}>
          <nav aria-label="Places" className={styles.shortcuts}>
            {shortcuts.map(({ name, at }) => (
              <Button
                key={name}
                size="compact-sm"
                variant={path === at ? 'light' : 'subtle'}
                aria-current={path === at ? 'true' : undefined}
                onClick={() => open(at)}
              >
                {name}
              </Button>
            ))}
          </nav>
          <Button
            size="compact-sm"
            variant="default"
            component="a"
            href={downloadUrl(task.id, path)}
            download
            leftSection={<IconDownload size={14} />}
          >
            Download folder
          </Button>
        </div>
        <nav aria-label="Folder" className={styles.crumbs}>
          <Breadcrumbs separatorMargin={4}>
            <Crumb name={task.id} onClick={parts.length ? () => open('') : undefined} />
            {parts.map((name, i) => {
              const at = parts.slice(0, i + 1).join('/');
              return <Crumb key={at} name={name} onClick={i < parts.length - 1 ? () => open(at) : undefined} />;
            })}
          </Breadcrumbs>
        </nav>
        <Loaded query={{ ...folder, data: folder.data?.pages }} what="folder">
          {(pages) => {
            const total = pages[0]?.total ?? 0;
            const items = pages.flatMap((page) => page.items);
            return (
              <>
                <FileList
                  task={task.id}
                  items={items}
                  shown={file}
                  onOpen={open}
                  onShow={(next) => setPlace({ file: next })}
                />
                {folder.hasNextPage && (
                  <Group p="sm">
                    <Button
                      size="xs"
                      variant="default"
                      loading={folder.isFetchingNextPage}
                      onClick={() => folder.fetchNextPage()}
                    >
                      Show more of {plural(total, 'entry', 'entries')}
                    </Button>
                  </Group>
                )}
                {total === 0 && (
                  <p className={styles.empty}>{grows ? 'Nothing is here yet.' : 'The task has left nothing here.'}</p>
                )}
              </>
            );
          }}
        </Loaded>
      </section>
      {file && <FileView key={file} task={task.id} path={file} onClose={() => setPlace({ file: '' })} />}
    </>
  );
}

function Crumb({ name, onClick }: { name: string; onClick: (() => void) | undefined }) {
  if (!onClick) return <span className="app-mono app-wrap-anywhere">{name}</span>;
  return (
    <Anchor component="button" type="button" size="sm" className="app-mono" onClick={onClick}>
      {name}
    </Anchor>
  );
}
