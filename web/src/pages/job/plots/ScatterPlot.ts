import type { ScatterPoint, ScatterState } from '../lib/scatter';
import { CanvasPlot } from './CanvasPlot';
import { clipped } from './ParallelPlot';

const TOP = 14;
const BOTTOM = 46;
const LEFT = 64;
const RIGHT = 18;
const NEAR_PX = 18;

/** A point a configuration: one parameter across, the objective up. */
export class ScatterPlot extends CanvasPlot<ScatterState> {
  private byId = new Map<string, ScatterPoint>();

  override update(state: ScatterState): void {
    this.byId = new Map(state.points.map((point) => [point.id, point]));
    super.update(state);
  }

  protected draw(context: CanvasRenderingContext2D, state: ScatterState): void {
    this.grid(context, state);
    const radius = state.points.length > 300 ? 3 : 4.5;
    context.globalAlpha = 0.85;
    for (const point of state.points) this.dot(context, point, radius, point.color);
    context.globalAlpha = 1;
    context.strokeStyle = this.colors.strong;
    context.lineWidth = 2;
    for (const { x, y, half } of state.medians) {
      context.beginPath();
      context.moveTo(this.x(x - half * 1.3), this.y(y));
      context.lineTo(this.x(x + half * 1.3), this.y(y));
      context.stroke();
    }
    const best = this.byId.get(state.best ?? '');
    if (best) this.ring(context, best, radius + 2.5, best.color);
  }

  protected drawOne(context: CanvasRenderingContext2D, _: ScatterState, id: string): void {
    const point = this.byId.get(id);
    if (!point) return;
    context.globalAlpha = 0.7;
    context.fillStyle = this.colors.back;
    context.fillRect(LEFT, 0, this.width - LEFT, this.height - BOTTOM + 4);
    context.globalAlpha = 1;
    this.dot(context, point, 5, this.colors.highlight);
    this.ring(context, point, 8, this.colors.highlight);
  }

  protected nearest(state: ScatterState, x: number, y: number): string | null {
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

  protected label(_: ScatterState, id: string): string | undefined {
    return this.byId.get(id)?.label;
  }

  // Some air at both ends, so that no point lies on an axis.
  private x(place: number): number {
    return LEFT + (0.02 + 0.96 * place) * (this.width - LEFT - RIGHT);
  }

  private y(place: number): number {
    return this.height - BOTTOM - place * (this.height - TOP - BOTTOM);
  }

  private dot(context: CanvasRenderingContext2D, point: ScatterPoint, radius: number, color: string): void {
    context.fillStyle = color;
    context.beginPath();
    context.arc(this.x(point.x), this.y(point.y), radius, 0, 7);
    context.fill();
  }

  private ring(context: CanvasRenderingContext2D, point: ScatterPoint, radius: number, color: string): void {
    context.strokeStyle = color;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(this.x(point.x), this.y(point.y), radius, 0, 7);
    context.stroke();
  }

  private grid(context: CanvasRenderingContext2D, { x, y }: ScatterState): void {
    const [right, bottom] = [this.width - RIGHT, this.height - BOTTOM];
    context.lineWidth = 1;
    context.strokeStyle = this.colors.line;
    context.fillStyle = this.colors.text;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (const { at, text } of y.ticks) {
      this.rule(context, LEFT, this.y(at), right, this.y(at));
      context.fillText(text, LEFT - 8, this.y(at));
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
    context.fillText(x.name, (LEFT + right) / 2, bottom + 33);
    context.save();
    context.translate(10, (TOP + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(`best ${y.name}`, 0, 0);
    context.restore();
    context.font = '11px system-ui, sans-serif';
  }

  private rule(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
    context.beginPath();
    context.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
    context.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
    context.stroke();
  }
}
