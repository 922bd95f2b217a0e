import type { ScheduleLine, ScheduleState } from '../search/lib/schedules';
import { XYPlot } from './XYPlot';

/** A line a task: the value of a parameter over its epochs; a dot where it went on from another task's checkpoint. */
export class SchedulePlot extends XYPlot<ScheduleState> {
  protected draw(context: CanvasRenderingContext2D, state: ScheduleState): void {
    this.grid(context, state);
    for (const line of state.lines) this.line(context, line, line.color, 1.5);
    for (const point of state.points) this.dot(context, point, 3, point.color);
  }

  protected override drawOne(context: CanvasRenderingContext2D, state: ScheduleState, id: string): void {
    const line = state.lines.find((one) => one.id === id);
    if (!line) return;
    this.fade(context);
    this.line(context, line, this.colors.highlight, 2.5);
    for (const point of state.points) if (point.id === id) this.dot(context, point, 4, this.colors.highlight);
  }

  private line(context: CanvasRenderingContext2D, { steps }: ScheduleLine, color: string, width: number): void {
    context.strokeStyle = color;
    context.lineWidth = width;
    this.steps(context, steps);
  }
}
