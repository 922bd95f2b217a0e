import { Button, SegmentedControl, Text, Title, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useLayout, useSaveLayout } from '../../../api/layouts';
import type { Node } from '../../../api/types';
import { useUrlState } from '../../../lib/urlState';
import { IconPlus, IconTiles } from '../../../parts/icons';
import { failed } from '../../../parts/notify';
import { Waiting } from '../../../parts/Page';
import page from '../Hosts.module.css';
import { SPANS, VIEW } from '../history';
import { AddTiles } from './AddTiles';
import { TileCard } from './TileCard';
import styles from './Tiles.module.css';
import { MoveTile, RemoveTile, ReorderTile } from './TileTools';
import {
  firstTiles,
  type HostTile,
  inOrder,
  keyOf,
  moved,
  NAMES,
  readTiles,
  removed,
  reordered,
  resized,
  subjectText,
} from './tiles';

const ArrangeGrid = lazy(() => import('./ArrangeGrid'));

/** How busy nodes are and were, in tiles that each person chooses and arranges. */
export function TileBoard({ nodes }: { nodes: readonly Node[] }) {
  const [{ minutes }, setView] = useUrlState(VIEW);
  const layout = useLayout('hosts');
  const save = useSaveLayout('hosts');
  const [draft, setDraft] = useState<HostTile[] | null>(null);
  const [adding, { open: add, close: added }] = useDisclosure(false);
  const first = useMemo(() => firstTiles(nodes), [nodes]);
  const saved = useMemo(() => layout.data?.tiles && readTiles(layout.data.tiles), [layout.data]);
  const tiles = draft ?? saved ?? first;
  const keep = () => {
    const next = draft && same(draft, first) ? null : draft;
    save.mutate(next, { onSuccess: () => setDraft(null), onError: failed });
  };
  return (
    <section className={page.group} aria-label="Load">
      <div className={page.groupHead}>
        <Title order={2}>Load</Title>
        <SegmentedControl
          size="xs"
          aria-label="How far back"
          data={SPANS.map(({ minutes: value, label }) => ({ value: String(value), label }))}
          value={String(minutes)}
          onChange={(value) => setView({ minutes: Number(value) })}
        />
        <div className={styles.actions}>
          {draft === null ? (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconTiles size={14} />}
              disabled={layout.isPending}
              onClick={() => setDraft(tiles)}
            >
              Arrange
            </Button>
          ) : (
            <>
              <Button size="compact-sm" variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
                Add tiles
              </Button>
              <Button size="compact-sm" variant="default" disabled={same(draft, first)} onClick={() => setDraft(first)}>
                Reset
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => setDraft(null)}>
                Cancel
              </Button>
              <Button size="compact-sm" loading={save.isPending} onClick={keep}>
                Done
              </Button>
            </>
          )}
        </div>
      </div>
      {draft && <AddTiles opened={adding} onClose={added} nodes={nodes} tiles={draft} onAdd={setDraft} />}
      {layout.isPending ? (
        <Waiting />
      ) : (
        <Tiles tiles={tiles} nodes={nodes} minutes={minutes} onChange={draft && setDraft} />
      )}
      {tiles.length === 0 && !layout.isPending && (
        <Text size="sm" c="dimmed">
          There are no tiles. {draft ? 'Add some' : 'Arrange the page to add some'}.
        </Text>
      )}
    </section>
  );
}

function same(a: readonly HostTile[], b: readonly HostTile[]): boolean {
  const places = (tiles: readonly HostTile[]) => inOrder(tiles).map(({ x, y, w, h, ...of }) => [keyOf(of), x, y, w, h]);
  return JSON.stringify(places(a)) === JSON.stringify(places(b));
}

interface TilesProps {
  tiles: readonly HostTile[];
  nodes: readonly Node[];
  minutes: number;
  /** While tiles are arranged. */
  onChange: ((tiles: HostTile[]) => void) | null;
}

function Tiles({ tiles, nodes, minutes, onChange }: TilesProps) {
  const narrow = useMediaQuery('(max-width: 48em)');
  const [said, say] = useState('');
  const shown = { nodes, minutes };
  const plain = (tools?: (tile: HostTile) => { before: ReactNode; after: ReactNode }) => (
    <div className={styles.board}>
      {inOrder(tiles).map((tile) => (
        <div key={keyOf(tile)} className={styles.place} style={placeOf(tile)}>
          <TileCard tile={tile} {...shown} {...tools?.(tile)} />
        </div>
      ))}
    </div>
  );
  if (onChange === null) return plain();
  const change = (key: string, next: HostTile[]) => {
    onChange(next);
    const tile = next.find((one) => keyOf(one) === key);
    if (tile) say(placeText(tile));
  };
  const remove = (tile: HostTile) => <RemoveTile tile={tile} onRemove={() => onChange(removed(tiles, keyOf(tile)))} />;
  return (
    <>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      {narrow ? (
        plain((tile) => ({
          before: <ReorderTile tile={tile} onReorder={(by) => onChange(reordered(tiles, keyOf(tile), by))} />,
          after: remove(tile),
        }))
      ) : (
        <Suspense fallback={plain()}>
          <ArrangeGrid tiles={tiles} onChange={onChange}>
            {(tile) => (
              <TileCard
                tile={tile}
                {...shown}
                before={
                  <MoveTile
                    tile={tile}
                    onMove={(to) => change(keyOf(tile), moved(tiles, keyOf(tile), to))}
                    onResize={(to) => change(keyOf(tile), resized(tiles, keyOf(tile), to))}
                  />
                }
                after={remove(tile)}
              />
            )}
          </ArrangeGrid>
        </Suspense>
      )}
    </>
  );
}

function placeOf({ x, y, w, h }: HostTile) {
  return { gridColumn: `${x + 1} / span ${w}`, gridRow: `${y + 1} / span ${h}` };
}

function placeText(tile: HostTile): string {
  const { x, y, w, h } = tile;
  return `${NAMES[tile.kind]}: ${subjectText(tile)}: column ${x + 1}, row ${y + 1}, ${w} wide, ${h} high`;
}
