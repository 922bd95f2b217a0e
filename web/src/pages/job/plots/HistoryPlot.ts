import type { HistoryState } from '../search/lib/history';
import { XYPlot } from './XYPlot';

const SIZE = 3.5;

/** A mark a trial by its number, and a line of the best so far. */
export class HistoryPlot extends XYPlot<HistoryState> {
  protected draw(context: CanvasRenderingContext2D, state: HistoryState): void {
    this.grid(context, state);
    for (const point of state.points) {
      const color = this.css(point.color);
      if (point.mark === 'dot') this.dot(context, point, SIZE, color);
      else if (point.mark === 'ring') this.ring(context, point, SIZE, color);
      else this.cross(context, this.x(point.x), this.y(point.y), color);
    }
    context.strokeStyle = state.bestColor;
    context.lineWidth = 2;
    this.steps(context, state.best);
  }

  private cross(context: CanvasRenderingContext2D, x: number, y: number, color: string): void {
    context.strokeStyle = color;
    context.lineWidth = 1.75;
    context.beginPath();
    context.moveTo(x - SIZE, y - SIZE);
    context.lineTo(x + SIZE, y + SIZE);
    context.moveTo(x + SIZE, y - SIZE);
    context.lineTo(x - SIZE, y + SIZE);
    context.stroke();
  }
}
