import { CanvasPlot } from '../../../parts/plots/CanvasPlot';
import type { Axis } from '../lib/axis';
import { clipped } from './ParallelPlot';

const TOP = 14;
const BOTTOM = 46;
const LEFT = 64;
const RIGHT = 18;
const NEAR_PX = 18;

export interface XYPoint {
  id: string;
  label: string;
  color: string;
  x: number;
  y: number;
}

export interface XYState {
  x: Axis;
  y: Axis;
  /** Beside the axis, where it is not its name. */
  yTitle?: string;
  points: readonly XYPoint[];
}

/** Points over two axes. */
export abstract class XYPlot<State extends XYState> extends CanvasPlot<State> {
  protected byId = new Map<string, XYPoint>();

  override update(state: State): void {
    this.byId = new Map(state.points.map((point) => [point.id, point]));
    super.update(state);
  }

  protected drawOne(context: CanvasRenderingContext2D, _: State, id: string): void {
    const point = this.byId.get(id);
    if (!point) return;
    this.fade(context);
    this.dot(context, point, 5, this.colors.highlight);
    this.ring(context, point, 8, this.colors.highlight);
  }

  protected nearest(state: State, x: number, y: number): string | null {
    let found: string | null = null;
    let least = NEAR_PX ** 2;
    for (const point of state.points) {
      const distance = (this.x(point.x) - x) ** 2 + (this.y(point.y) - y) ** 2;
      if (distance <= least) {
        least = distance;
        found = point.id;
      }
    }
    return found;
  }

  protected label(_: State, id: string): string | undefined {
    return this.byId.get(id)?.label;
  }

  // Some air at both ends, so that no point lies on an axis.
  protected x(place: number): number {
    return LEFT + (0.02 + 0.96 * place) * (this.width - LEFT - RIGHT);
  }

  protected y(place: number): number {
    return this.height - BOTTOM - place * (this.height - TOP - BOTTOM);
  }

  /** What is not highlighted steps back. */
  protected fade(context: CanvasRenderingContext2D): void {
    context.globalAlpha = 0.7;
    context.fillStyle = this.colors.back;
    context.fillRect(LEFT, 0, this.width - LEFT, this.height - BOTTOM + 4);
    context.globalAlpha = 1;
  }

  protected dot(context: CanvasRenderingContext2D, point: XYPoint, radius: number, color: string): void {
    context.fillStyle = color;
    context.beginPath();
    context.arc(this.x(point.x), this.y(point.y), radius, 0, 7);
    context.fill();
  }

  protected ring(context: CanvasRenderingContext2D, point: XYPoint, radius: number, color: string): void {
    context.strokeStyle = color;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(this.x(point.x), this.y(point.y), radius, 0, 7);
    context.stroke();
  }

  /** From place to place: first across, then up or down. */
  protected steps(context: CanvasRenderingContext2D, places: readonly (readonly [number, number])[]): void {
    context.beginPath();
    places.forEach(([x, y], i) => {
      const before = places[i - 1];
      if (before) context.lineTo(this.x(x), this.y(before[1]));
      if (before) context.lineTo(this.x(x), this.y(y));
      else context.moveTo(this.x(x), this.y(y));
    });
    context.stroke();
  }

  protected grid(context: CanvasRenderingContext2D, { x, y, yTitle = y.name }: State): void {
    const [right, bottom] = [this.width - RIGHT, this.height - BOTTOM];
    context.lineWidth = 1;
    context.strokeStyle = this.colors.line;
    context.fillStyle = this.colors.text;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (const { at, text } of y.ticks) {
      if (y.scale !== 'categories') this.rule(context, LEFT, this.y(at), right, this.y(at));
      context.fillText(clipped(context, text, LEFT - 24), LEFT - 8, this.y(at));
    }
    context.textAlign = 'center';
    const room = (right - LEFT) / Math.max(x.ticks.length, 1) - 6;
    for (const { at, text } of x.ticks) {
      if (x.scale !== 'categories') this.rule(context, this.x(at), TOP, this.x(at), bottom);
      context.fillText(clipped(context, text, room), this.x(at), bottom + 13);
    }
    this.rule(context, LEFT, bottom, right, bottom);
    context.fillStyle = this.colors.strong;
    context.font = '600 11px system-ui, sans-serif';
    context.fillText(clipped(context, x.name, right - LEFT), (LEFT + right) / 2, bottom + 33);
    context.save();
    context.translate(10, (TOP + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(clipped(context, yTitle, bottom - TOP), 0, 0);
    context.restore();
    context.font = '11px system-ui, sans-serif';
  }

  protected rule(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
    context.beginPath();
    context.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
    context.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
    context.stroke();
  }
}
