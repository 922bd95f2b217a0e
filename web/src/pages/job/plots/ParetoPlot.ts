import type { ParetoState } from '../search/lib/pareto';
import { XYPlot } from './XYPlot';

/** A point a trial over two objectives; the front is a line of steps. */
export class ParetoPlot extends XYPlot<ParetoState> {
  protected draw(context: CanvasRenderingContext2D, state: ParetoState): void {
    this.grid(context, state);
    context.strokeStyle = state.frontColor;
    context.lineWidth = 2;
    this.steps(context, state.front);
    for (const point of state.points) this.dot(context, point, point.front ? 5.5 : 3.5, point.color);
  }
}
