import { rankColor } from '../../../lib/colors';
import type { ContourState, Field } from '../search/lib/contour';
import { XYPlot } from './XYPlot';

/** Two parameters, the trials as points over what they let expect between them. */
export class ContourPlot extends XYPlot<ContourState> {
  protected draw(context: CanvasRenderingContext2D, state: ContourState): void {
    if (state.field) this.background(context, state.field, state.dark);
    this.grid(context, state);
    const radius = state.points.length > 300 ? 3 : 4.5;
    for (const point of state.points) {
      this.dot(context, point, radius + 1.25, this.colors.back);
      this.dot(context, point, radius, point.color);
    }
    const best = this.byId.get(state.best ?? '');
    if (best) this.ring(context, best, radius + 3, best.color);
  }

  // Trials lie on the ends of a range, too.
  protected override y(place: number): number {
    return super.y(0.03 + 0.94 * place);
  }

  private background(context: CanvasRenderingContext2D, field: Field, dark: boolean): void {
    const small = document.createElement('canvas');
    small.width = field.columns;
    small.height = field.rows;
    const painted = small.getContext('2d') as CanvasRenderingContext2D;
    const image = painted.createImageData(field.columns, field.rows);
    field.ranks.forEach((rank, i) => {
      const [red = 0, green = 0, blue = 0] = (rankColor(rank, dark).match(/\d+/g) ?? []).map(Number);
      image.data.set([red, green, blue, 150 * (field.known[i] ?? 0)], i * 4);
    });
    painted.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = true;
    context.drawImage(small, this.x(0), this.y(1), this.x(1) - this.x(0), this.y(0) - this.y(1));
  }
}
