import { CanvasPlot } from '../../../parts/plots/CanvasPlot';
import type { LineageState } from '../search/lib/lineage';

const TOP = 10;
const BOTTOM = 40;
const LEFT = 64;
const RIGHT = 18;

/** A lane a task over its epochs; an arrow where one went on from another's checkpoint. */
export class LineagePlot extends CanvasPlot<LineageState> {
  protected draw(context: CanvasRenderingContext2D, state: LineageState): void {
    this.axes(context, state);
    context.lineCap = 'round';
    state.lanes.forEach((_, i) => {
      this.lane(context, state, i, 3);
    });
    context.globalAlpha = 0.8;
    for (const move of state.moves) this.move(context, state, move, this.colors.text, 1.25);
    context.globalAlpha = 1;
  }

  protected drawOne(context: CanvasRenderingContext2D, state: LineageState, id: string): void {
    const at = state.lanes.findIndex((lane) => lane.id === id);
    if (at < 0) return;
    context.globalAlpha = 0.7;
    context.fillStyle = this.colors.back;
    context.fillRect(LEFT, 0, this.width - LEFT, this.height - BOTTOM + 4);
    context.globalAlpha = 1;
    this.lane(context, state, at, 4);
    for (const move of state.moves) {
      if (move.to === at || move.from === at) this.move(context, state, move, this.colors.highlight, 2);
    }
  }

  protected nearest(state: LineageState, _: number, y: number): string | null {
    const row = Math.round((y - TOP) / this.rowHeight(state) - 0.5);
    return state.lanes[row]?.id ?? null;
  }

  protected label(state: LineageState, id: string): string | undefined {
    return state.lanes.find((lane) => lane.id === id)?.label;
  }

  private rowHeight({ lanes }: LineageState): number {
    return (this.height - TOP - BOTTOM) / Math.max(lanes.length, 1);
  }

  private x(place: number): number {
    return LEFT + place * (this.width - LEFT - RIGHT);
  }

  private y(state: LineageState, lane: number): number {
    return TOP + (lane + 0.5) * this.rowHeight(state);
  }

  private lane(context: CanvasRenderingContext2D, state: LineageState, at: number, width: number): void {
    const lane = state.lanes[at];
    if (!lane) return;
    context.strokeStyle = lane.color;
    context.lineWidth = Math.min(width, this.rowHeight(state) - 1);
    context.beginPath();
    context.moveTo(this.x(0), this.y(state, at));
    context.lineTo(this.x(lane.to), this.y(state, at));
    context.stroke();
  }

  /** A bow from the source to the task, with a point where it arrives. */
  private move(
    context: CanvasRenderingContext2D,
    state: LineageState,
    { from, to, at }: LineageState['moves'][number],
    color: string,
    width: number,
  ): void {
    const [x, start, end] = [this.x(at), this.y(state, from), this.y(state, to)];
    const bow = Math.min(12 + Math.abs(end - start) * 0.12, 40);
    context.strokeStyle = color;
    context.fillStyle = color;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x, start);
    context.quadraticCurveTo(x + bow, (start + end) / 2, x, end);
    context.stroke();
    context.beginPath();
    context.arc(x, end, width + 2, 0, 7);
    context.fill();
  }

  private axes(context: CanvasRenderingContext2D, state: LineageState): void {
    const bottom = this.height - BOTTOM;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    context.fillStyle = this.colors.text;
    const every = Math.ceil(14 / this.rowHeight(state));
    state.lanes.forEach(({ name }, i) => {
      if (i % every === 0) context.fillText(name, LEFT - 8, this.y(state, i));
    });
    context.textAlign = 'center';
    context.strokeStyle = this.colors.line;
    context.lineWidth = 1;
    for (const { at, text } of state.x.ticks) {
      const x = Math.round(this.x(at)) + 0.5;
      context.beginPath();
      context.moveTo(x, TOP);
      context.lineTo(x, bottom);
      context.stroke();
      context.fillText(text, x, bottom + 12);
    }
    context.fillStyle = this.colors.strong;
    context.font = '600 11px system-ui, sans-serif';
    context.fillText(state.x.name, (LEFT + this.width - RIGHT) / 2, bottom + 30);
    context.font = '11px system-ui, sans-serif';
  }
}
