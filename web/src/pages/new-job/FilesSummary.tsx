import { Button, Collapse, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ChosenFile } from '../../lib/files';
import { bytes, plural } from '../../lib/format';
import { IconFile, IconFolder } from '../../parts/icons';
import styles from './Editor.module.css';
import { totalBytes } from './lib/files';

interface Props {
  files: readonly ChosenFile[];
  ignored: number;
  onChange: () => void;
}

const LISTED = 500;

/** What goes along with the job. */
export function FilesSummary({ files, ignored, onChange }: Props) {
  const [open, { toggle }] = useDisclosure(false);
  const one = files.length === 1;
  const Icon = one ? IconFile : IconFolder;
  return (
    <div>
      <Group gap="xs">
        <Icon size={18} />
        <Text size="sm" className="app-wrap-anywhere">
          <b>{one ? files[0]?.path : plural(files.length, 'file')}</b> · {bytes(totalBytes(files))}
          {ignored > 0 && ` · ${ignored} left out`}
        </Text>
        <Group gap={4} ml="auto">
          {!one && (
            <Button size="compact-sm" variant="subtle" onClick={toggle} aria-expanded={open}>
              {open ? 'Hide' : 'List'}
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={onChange}>
            Other files
          </Button>
        </Group>
      </Group>
      <Collapse expanded={open && !one}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable */}
        <ul className={styles.files} tabIndex={0} aria-label="Files">
          {files.slice(0, LISTED).map(({ path, file }) => (
            <li key={path}>
              <span className="app-mono app-wrap-anywhere">{path}</span>
              <Text span size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                {bytes(file.size)}
              </Text>
            </li>
          ))}
          {files.length > LISTED && <li>… and {plural(files.length - LISTED, 'other')}</li>}
        </ul>
      </Collapse>
    </div>
  );
}
