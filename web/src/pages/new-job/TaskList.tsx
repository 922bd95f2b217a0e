import { Stack, Text } from '@mantine/core';
import { Fragment, useMemo, useState } from 'react';
import type { Preview } from '../../api/types';
import { integer, plural } from '../../lib/format';
import { valueText } from '../../lib/params';
import { CopyButton } from '../../parts/CopyButton';
import { ParamChips } from '../../parts/ParamChips';
import { type Column, VirtualTable } from '../../parts/VirtualTable';
import { shellText } from './lib/command';
import { adaptiveText } from './lib/search';
import styles from './PreviewPanel.module.css';

interface Row {
  number: number;
  params: Preview['tasks'][number];
}

/** The tasks that would be made, and the exact command of the one that is chosen. */
export function TaskList({ preview }: { preview: Preview }) {
  const [chosen, setChosen] = useState(1);
  const rows = useMemo(
    (): Row[] => preview.tasks.map((params, index) => ({ number: index + 1, params })),
    [preview.tasks],
  );
  const shared = preview.columns.join('\n');
  const columns = useMemo((): Column<Row>[] => {
    const names = shared ? shared.split('\n') : [];
    return [numberColumn, ...names.map(paramColumn)];
  }, [shared]);
  const task = rows[chosen - 1] ?? rows[0];
  const argv = preview.commands[(task?.number ?? 1) - 1] ?? [];
  const same = Object.keys(task?.params ?? {}).filter((name) => !preview.columns.includes(name));
  return (
    <Stack gap="sm">
      {preview.adaptive && (
        <Text size="sm" className="app-wrap-anywhere">
          {adaptiveText(preview)}
        </Text>
      )}
      {same.length > 0 && task && (
        <div>
          <Text size="sm" c="dimmed" mb={4}>
            {preview.columns.length ? 'The same for all' : 'Given'}
          </Text>
          <ParamChips params={task.params} names={same} />
        </div>
      )}
      {rows.length > 1 && (
        <div>
          <div className={styles.table}>
            <VirtualTable
              rows={rows}
              columns={columns}
              rowId={rowId}
              label="Tasks"
              height="min(380px, 45vh)"
              rowHeight={30}
              onOpen={(row) => setChosen(row.number)}
            />
          </div>
          {!preview.adaptive && preview.count !== null && preview.count > rows.length && (
            <Text size="sm" c="dimmed" mt={4}>
              The first {integer(rows.length)} of {plural(preview.count, 'task')}.
            </Text>
          )}
        </div>
      )}
      <div>
        <Text size="sm" c="dimmed" mb={4} id="preview-command">
          {rows.length > 1 ? `Command of task ${task?.number}; choose a row for another` : 'Command'}
        </Text>
        <div className={styles.commandBox}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable */}
          <section className={styles.command} tabIndex={0} aria-labelledby="preview-command">
            {argv.map((word, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: words have no other name
              <Fragment key={index}>
                <span className={/\s/.test(word) ? '' : styles.word}>{shellText([word])}</span>{' '}
              </Fragment>
            ))}
          </section>
          <div className={styles.copy}>
            <CopyButton text={shellText(argv)} label="Copy the command" />
          </div>
        </div>
      </div>
    </Stack>
  );
}

const rowId = (row: Row) => String(row.number);

const numberColumn: Column<Row> = { id: '#', header: '#', cell: (row) => row.number, width: 56, align: 'end' };

function paramColumn(name: string): Column<Row> {
  const cell = ({ params }: Row) => (name in params ? valueText(params[name]) : '');
  return { id: name, header: name, title: name, cell, width: 110 };
}
