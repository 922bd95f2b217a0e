import type { Highlight } from '../../../lib/highlight';
import { CanvasPlot } from '../../../parts/plots/CanvasPlot';
import type { ParallelLine, ParallelState } from '../lib/parallel';

const TOP = 38;
const BOTTOM = 18;
const SIDE = 64;
const NEAR_PX = 12;
const GRIP_PX = 14;
const LEAST_PX = 5;

interface Drag {
  axis: number;
  from: number;
  to: number;
}

/** One line a configuration, one axis a parameter, the objective last. Along an axis, a part of it is brushed. */
export class ParallelPlot extends CanvasPlot<ParallelState> {
  /** A part of an axis, from place to place; null: all of it again. */
  onBrush: (axis: number, part: [number, number] | null) => void = () => {};

  private byId = new Map<string, ParallelLine>();
  private drag: Drag | null = null;
  private dragged = false;

  constructor(root: HTMLElement, highlight: Highlight, tipClass: string) {
    super(root, highlight, tipClass);
    root.addEventListener('pointerdown', this.pressed);
    root.addEventListener('pointermove', this.pulled, true);
    root.addEventListener('pointerup', this.released);
    root.addEventListener('click', this.swallowed, true);
  }

  override destroy(): void {
    this.root.removeEventListener('pointerdown', this.pressed);
    this.root.removeEventListener('pointermove', this.pulled, true);
    this.root.removeEventListener('pointerup', this.released);
    this.root.removeEventListener('click', this.swallowed, true);
    super.destroy();
  }

  private placeOf(event: PointerEvent): { x: number; y: number } {
    const box = this.root.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private pressed = (event: PointerEvent): void => {
    this.dragged = false;
    const { x, y } = this.placeOf(event);
    const axis = this.state ? Math.round((x - SIDE) / this.step(this.state)) : -1;
    const found = this.state && axis >= 0 && axis < this.state.axes.length;
    if (!found || Math.abs(this.x(this.state as ParallelState, axis) - x) > GRIP_PX || event.button !== 0) return;
    this.drag = { axis, from: y, to: y };
    this.root.setPointerCapture(event.pointerId);
    event.preventDefault();
  };

  private pulled = (event: PointerEvent): void => {
    if (!this.drag) return;
    event.stopImmediatePropagation(); // nothing is highlighted meanwhile
    this.drag.to = this.placeOf(event).y;
    this.highlight.set(null);
    this.drawOver();
  };

  private released = (): void => {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    const moved = Math.abs(drag.to - drag.from) >= LEAST_PX;
    if (!moved && !this.state?.brushes[drag.axis]) return; // a click, as on any line
    this.dragged = true;
    const part = [this.up(drag.from), this.up(drag.to)].sort((a, b) => a - b) as [number, number];
    this.onBrush(drag.axis, moved ? part : null);
    this.drawOver();
  };

  /** The end of a drag is no click on a line. */
  private swallowed = (event: MouseEvent): void => {
    if (this.dragged) event.stopImmediatePropagation();
  };

  private up(y: number): number {
    return Math.min(Math.max((this.height - BOTTOM - y) / (this.height - TOP - BOTTOM), 0), 1);
  }

  protected override drawOver(): void {
    super.drawOver();
    const context = this.over.getContext('2d');
    if (context && this.state && this.drag) {
      const { axis, from, to } = this.drag;
      this.box(context, this.x(this.state, axis), from, to);
    }
  }

  private box(context: CanvasRenderingContext2D, x: number, from: number, to: number): void {
    context.globalAlpha = 0.25;
    context.fillStyle = this.colors.highlight;
    context.fillRect(x - 7, Math.min(from, to), 14, Math.abs(to - from));
    context.globalAlpha = 1;
    context.strokeStyle = this.colors.highlight;
    context.lineWidth = 1;
    context.strokeRect(x - 7, Math.min(from, to), 14, Math.abs(to - from));
  }

  override update(state: ParallelState): void {
    this.byId = new Map(state.lines.map((line) => [line.id, line]));
    super.update(state);
  }

  protected draw(context: CanvasRenderingContext2D, state: ParallelState): void {
    const { chosen } = state;
    const many = state.lines.length > 60;
    if (chosen) {
      context.globalAlpha = many ? 0.4 : 0.7;
      for (const line of state.lines)
        if (!chosen.has(line.id)) this.stroke(context, state, { ...line, color: this.colors.line }, 1);
    }
    const shown = chosen ? state.lines.filter(({ id }) => chosen.has(id)) : state.lines;
    context.globalAlpha = shown.length > 60 ? 0.55 : 0.9;
    for (const line of shown) if (line.id !== state.best) this.stroke(context, state, line, many ? 1 : 1.5);
    context.globalAlpha = 1;
    const best = shown.find(({ id }) => id === state.best);
    if (best) this.stroke(context, state, best, 2.5);
    this.axes(context, state);
    state.brushes.forEach((part, i) => {
      if (part) this.box(context, this.x(state, i), this.y(part[0]), this.y(part[1]));
    });
  }

  protected drawOne(context: CanvasRenderingContext2D, state: ParallelState, id: string): void {
    const line = this.byId.get(id);
    if (!line) return;
    context.globalAlpha = 0.75;
    context.fillStyle = this.colors.back;
    context.fillRect(0, TOP - 6, this.width, this.height - TOP - BOTTOM + 12);
    context.globalAlpha = 1;
    this.axes(context, state, line);
    this.stroke(context, state, { ...line, color: this.colors.highlight }, 2.5);
    context.font = '600 11px system-ui, sans-serif';
    line.at.forEach((place, i) => {
      if (place !== null) this.written(context, line.texts[i] ?? '', this.x(state, i), this.y(place), i, state);
    });
  }

  protected nearest(state: ParallelState, x: number, y: number): string | null {
    const step = this.step(state);
    const left = Math.min(Math.max(Math.floor((x - SIDE) / step), 0), state.axes.length - 2);
    const part = Math.min(Math.max((x - SIDE) / step - left, 0), 1);
    let found: string | null = null;
    let least = NEAR_PX;
    // From the end: what is drawn above comes first.
    for (let i = state.lines.length - 1; i >= 0; i--) {
      const { id, at } = state.lines[i] as ParallelLine;
      if (state.chosen && !state.chosen.has(id)) continue;
      const [from, to] = [at[left], at[left + 1]];
      if (from === null || from === undefined || to === null || to === undefined) continue;
      const distance = Math.abs(this.y(from + (to - from) * part) - y);
      if (distance < least) {
        least = distance;
        found = id;
      }
    }
    return found;
  }

  protected label(_: ParallelState, id: string): string | undefined {
    return this.byId.get(id)?.label;
  }

  private step(state: ParallelState): number {
    return (this.width - 2 * SIDE) / Math.max(state.axes.length - 1, 1);
  }

  private x(state: ParallelState, index: number): number {
    return SIDE + index * this.step(state);
  }

  private y(place: number): number {
    return this.height - BOTTOM - place * (this.height - TOP - BOTTOM);
  }

  private stroke(context: CanvasRenderingContext2D, state: ParallelState, line: ParallelLine, width: number): void {
    context.strokeStyle = line.color;
    context.lineWidth = width;
    context.beginPath();
    let open = false;
    line.at.forEach((place, i) => {
      if (place === null) {
        open = false;
        return;
      }
      const [x, y] = [this.x(state, i), this.y(place)];
      if (open) context.lineTo(x, y);
      else context.moveTo(x, y);
      open = true;
    });
    context.stroke();
  }

  /** Ticks give way to the values of the line that is highlighted. */
  private axes(context: CanvasRenderingContext2D, state: ParallelState, one?: ParallelLine): void {
    const last = state.axes.length - 1;
    state.axes.forEach((axis, i) => {
      const x = Math.round(this.x(state, i)) + 0.5;
      context.strokeStyle = this.colors.text;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x, this.y(0));
      context.lineTo(x, this.y(1));
      context.stroke();
      context.textAlign = 'center';
      context.textBaseline = 'alphabetic';
      context.fillStyle = this.colors.strong;
      context.font = '600 12px system-ui, sans-serif';
      context.fillText(clipped(context, i === last ? `best ${axis.name}` : axis.name, this.step(state) - 8), x, 18);
      context.font = '11px system-ui, sans-serif';
      const taken = one?.at[i];
      for (const { at, text } of axis.ticks) {
        const hidden = taken !== null && taken !== undefined && Math.abs(this.y(at) - this.y(taken)) < 15;
        if (!hidden) this.written(context, text, x, this.y(at), i, state);
      }
    });
  }

  /** A value beside its axis, on a background that lets it be read over the lines. */
  private written(
    context: CanvasRenderingContext2D,
    text: string,
    x: number,
    y: number,
    axis: number,
    state: ParallelState,
  ): void {
    const right = axis === state.axes.length - 1;
    const short = clipped(context, text, Math.max(Math.min(this.step(state), SIDE + 40) - 14, 20));
    const width = context.measureText(short).width;
    const from = right ? x + 6 : x - 6 - width;
    context.globalAlpha = 0.8;
    context.fillStyle = this.colors.back;
    context.fillRect(from - 2, y - 7, width + 4, 14);
    context.globalAlpha = 1;
    context.fillStyle = this.colors.strong;
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.fillText(short, from, y);
  }
}

export function clipped(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let end = Math.min(text.length, 60);
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return `${text.slice(0, end)}…`;
}
