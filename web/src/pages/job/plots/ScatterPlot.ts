import type { ScatterState } from '../lib/scatter';
import { XYPlot } from './XYPlot';

/** A point a configuration: one parameter across, the objective up. */
export class ScatterPlot extends XYPlot<ScatterState> {
  protected draw(context: CanvasRenderingContext2D, state: ScatterState): void {
    this.grid(context, { ...state, yTitle: `best ${state.y.name}` });
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
}
