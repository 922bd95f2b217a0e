import { ActionIcon } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { IconChevronDown, IconChevronUp, IconClose, IconMove } from '../../../parts/icons';
import { type Direction, type HostTile, NAMES, subjectText } from './tiles';

const KEYS: Record<string, Direction> = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' };

function nameOf(tile: HostTile): string {
  return `${NAMES[tile.kind]}: ${subjectText(tile)}`;
}

interface MoveProps {
  tile: HostTile;
  onMove: (to: Direction) => void;
  onResize: (to: Direction) => void;
}

/** The pointer drags the head of the tile; the keyboard moves it from here. */
export function MoveTile({ tile, onMove, onResize }: MoveProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const to = KEYS[event.key];
    if (to === undefined) return;
    event.preventDefault();
    (event.shiftKey ? onResize : onMove)(to);
  };
  return (
    <ActionIcon
      size="sm"
      aria-label={`Move ${nameOf(tile)}`}
      title="Drag it, or press arrow keys to move it and Shift with arrow keys to resize it"
      onKeyDown={onKeyDown}
    >
      <IconMove size={14} />
    </ActionIcon>
  );
}

/** Where tiles are below each other. */
export function ReorderTile({ tile, onReorder }: { tile: HostTile; onReorder: (by: -1 | 1) => void }) {
  return (
    <>
      <ActionIcon size="sm" aria-label={`Move up ${nameOf(tile)}`} onClick={() => onReorder(-1)}>
        <IconChevronUp size={14} />
      </ActionIcon>
      <ActionIcon size="sm" aria-label={`Move down ${nameOf(tile)}`} onClick={() => onReorder(1)}>
        <IconChevronDown size={14} />
      </ActionIcon>
    </>
  );
}

export function RemoveTile({ tile, onRemove }: { tile: HostTile; onRemove: () => void }) {
  return (
    <ActionIcon size="sm" data-tool aria-label={`Remove ${nameOf(tile)}`} title="Remove" onClick={onRemove}>
      <IconClose size={14} />
    </ActionIcon>
  );
}
