/** The graph itself, outside of React. uPlot has axes, scales and zoom; the lines are drawn here.
 *
 * Each line keeps its own steps (sweeps mix steps, and a common axis of 300 thinned curves would have ten thousands of
 * them), and a highlighted line is drawn on a canvas above the others, which so need not be drawn anew on every move.
 */

import uPlot from 'uplot';
import { nearestIndex, smooth, stepRange, valueAt, valueRange } from '../../lib/curves';
import { clock, number } from '../../lib/format';
import type { Highlight } from '../../lib/highlight';
import { emptied, FONT, type Layer, type Place, Plot } from './Plot';

export interface ChartSeries {
  id: string;
  label: string;
  steps: readonly number[];
  values: readonly (number | null)[];
  color: string;
  dashed?: boolean;
}

export interface ChartSettings {
  log: boolean;
  /** 0 to 0.99 */
  smoothing: number;
  /** Values far outside of all others do not stretch the axis. */
  clip: boolean;
}

export interface Best {
  id: string;
  step: number;
  value: number;
}

export type Range = readonly [number, number];

export interface PlotState extends ChartSettings {
  series: readonly ChartSeries[];
  best: Best | null;
  stepName: string;
  /** Steps are seconds since 1970, shown as the time of day. */
  clock: boolean;
  /** What the axes span; as far as the curves go when not given. */
  across: Range | undefined;
  up: Range | undefined;
  onZoom: (zoomed: boolean) => void;
}

interface Line extends ChartSeries {
  drawn: readonly (number | null)[];
}

const NEAR_PX = 36;
const FEW = 12;
const HEIGHT_OF_AXIS = 26;
const WIDTH_OF_AXIS = 58;
const WIDTH_OF_TIME = 72;

export class CurvePlot extends Plot<PlotState> {
  private chart: uPlot;
  private state: PlotState = {
    series: [],
    best: null,
    stepName: 'epoch',
    clock: false,
    across: undefined,
    up: undefined,
    log: false,
    smoothing: 0,
    clip: false,
    onZoom: () => {},
  };
  private lines: Line[] = [];
  private byId = new Map<string, Line>();
  private made = new WeakMap<ChartSeries, { smoothing: number; line: Line }>();
  private paths = new WeakMap<Line, { key: string; path: Path2D }>();
  private zoom: { x: Range; y: Range | null } | null = null;
  private spans: { lines: Line[]; state: PlotState; zoom: unknown; x: Range; y: Range } | null = null;
  private pointer: Place | null = null;
  private size: { width: number; height: number };

  constructor(root: HTMLElement, highlight: Highlight, tipClass: string) {
    super(root, highlight, tipClass);
    this.size = this.measured();
    this.chart = this.build();
  }

  override destroy(): void {
    this.chart.destroy();
    super.destroy();
  }

  update(state: PlotState): void {
    const known = this.state;
    const rebuild = state.log !== known.log || state.stepName !== known.stepName || state.clock !== known.clock;
    this.state = state;
    this.lines = state.series.filter((one) => one.steps.length > 0).map((one) => this.line(one));
    this.byId = new Map(this.lines.map((line) => [line.id, line]));
    if (rebuild) this.rebuild();
    this.rescale();
  }

  private measured(): { width: number; height: number } {
    return { width: Math.max(this.root.clientWidth, 100), height: this.root.clientHeight };
  }

  protected resize(): void {
    const { width, height } = this.measured();
    if (width === this.size.width && height === this.size.height) return;
    this.size = { width, height };
    this.chart.setSize(this.size);
  }

  protected redraw(): void {
    this.chart.redraw(false, true);
  }

  resetZoom = (): void => {
    this.zoom = null;
    this.state.onZoom(false);
    this.rescale();
  };

  protected layers(): Layer[] {
    const { left: x, top: y } = this.chart.bbox;
    return [
      { canvas: this.chart.ctx.canvas, x: 0, y: 0 },
      { canvas: this.over, x, y },
    ];
  }

  private line(series: ChartSeries): Line {
    const known = this.made.get(series);
    if (known && known.smoothing === this.state.smoothing) return known.line;
    const line = { ...series, drawn: smooth(series.values, this.state.smoothing) };
    this.made.set(series, { smoothing: this.state.smoothing, line });
    return line;
  }

  private rebuild(): void {
    this.chart.destroy();
    this.chart = this.build();
  }

  private build(): uPlot {
    const axis = (more: uPlot.Axis): uPlot.Axis => ({
      stroke: () => this.colors.text,
      grid: { stroke: () => this.colors.soft, width: 1 },
      ticks: { stroke: () => this.colors.soft, width: 1, size: 4 },
      font: `11px ${FONT}`,
      labelFont: `11px ${FONT}`,
      labelSize: 16,
      ...more,
    });
    const chart = new uPlot(
      {
        ...this.size,
        padding: [12, 14, 0, 0],
        legend: { show: false },
        scales: {
          x: { time: this.state.clock, range: () => [...this.ranges().x] as uPlot.Range.MinMax },
          y: {
            distr: this.state.log ? 3 : 1,
            log: 10,
            auto: false,
            range: () => [...this.ranges().y] as uPlot.Range.MinMax,
          },
        },
        series: [{}, { scale: 'y', points: { show: false } }],
        axes: [
          axis({ size: HEIGHT_OF_AXIS, ...this.stepAxis() }),
          axis({ size: WIDTH_OF_AXIS, values: (_, ticks) => ticks.map(tick) }),
        ],
        cursor: {
          y: false,
          points: { show: false },
          drag: { x: true, y: true, uni: 24, setScale: false },
          bind: {
            dblclick: () => () => {
              this.resetZoom();
              return null;
            },
          },
        },
        hooks: {
          draw: [() => this.draw()],
          setCursor: [(u) => this.moved(u)],
          setSelect: [(u) => this.selected(u)],
        },
      },
      EMPTY,
      this.root,
    );
    chart.over.append(this.over, this.tip);
    let pressed = 0;
    chart.over.addEventListener('mousedown', (event) => {
      pressed = event.clientX;
    });
    chart.over.addEventListener('click', (event) => {
      const id = this.highlight.get();
      if (id && this.byId.has(id) && Math.abs(event.clientX - pressed) < 4) this.onPick(id);
    });
    return chart;
  }

  private stepAxis(): uPlot.Axis {
    return this.state.clock
      ? { values: (_, ticks) => ticks.map((at) => clock(at * 1000)), space: WIDTH_OF_TIME }
      : { values: (_, ticks) => ticks.map(tick), label: this.state.stepName };
  }

  /** Asked for several times a drawing, and dear with many points: worked out once. */
  private ranges(): { x: Range; y: Range } {
    const known = this.spans;
    if (known?.lines === this.lines && known.state === this.state && known.zoom === this.zoom) return known;
    const x = this.zoom?.x ?? this.state.across ?? stepRange(this.lines);
    const drawn = this.lines.map(({ steps, drawn: values }) => ({ steps, values }));
    const y = this.zoom?.y ?? this.state.up ?? valueRange(drawn, x[0], x[1], this.state);
    this.spans = { lines: this.lines, state: this.state, zoom: this.zoom, x, y };
    return this.spans;
  }

  private rescale(): void {
    const { x, y } = this.ranges();
    this.chart.batch(() => {
      this.chart.setData(EMPTY, false);
      this.chart.setScale('x', { min: x[0], max: x[1] });
      this.chart.setScale('y', { min: y[0], max: y[1] });
    });
    this.chart.redraw(true, true);
  }

  private selected(u: uPlot): void {
    const { left, top, width, height } = u.select;
    if (width < 5 && height < 5) return;
    const full = u.over.getBoundingClientRect();
    const across: Range =
      width >= full.width - 1 ? this.ranges().x : [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')];
    const up: Range | null = height >= full.height - 1 ? null : [u.posToVal(top + height, 'y'), u.posToVal(top, 'y')];
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.zoom = { x: across, y: up };
    this.state.onZoom(true);
    this.rescale();
  }

  // --- the lines --------------------------------------------------------------------------------------------------------

  /** From a value to a pixel of the canvas, without asking uPlot for each. */
  private toPixels(): { x: (v: number) => number; y: (v: number) => number; key: string } {
    const u = this.chart;
    const { min: x0 = 0, max: x1 = 1 } = u.scales.x as uPlot.Scale;
    const { min: y0 = 0, max: y1 = 1 } = u.scales.y as uPlot.Scale;
    const { left, top, width, height } = u.bbox;
    const across = width / ((x1 as number) - (x0 as number));
    const level = this.state.log ? (v: number) => Math.log10(v > 0 ? v : (y0 as number) / 1e6) : (v: number) => v;
    const bottom = level(y0 as number);
    const up = height / (level(y1 as number) - bottom);
    return {
      x: (v) => left + (v - (x0 as number)) * across,
      y: (v) => Math.min(Math.max(top + height - (level(v) - bottom) * up, top - 1e5), top + 1e5),
      key: [x0, x1, y0, y1, left, top, width, height, this.state.log].join(),
    };
  }

  private path(line: Line): Path2D {
    const { x, y, key } = this.toPixels();
    const known = this.paths.get(line);
    if (known?.key === key) return known.path;
    const path = new Path2D();
    let open = false;
    for (let i = 0; i < line.steps.length; i++) {
      const value = line.drawn[i];
      if (value === null || value === undefined) {
        open = false;
        continue;
      }
      const [px, py] = [x(line.steps[i] as number), y(value)];
      if (open) path.lineTo(px, py);
      else {
        path.moveTo(px, py);
        // A point with no neighbour is a dot, not nothing.
        const next = line.drawn[i + 1];
        if (next === null || next === undefined) path.arc(px, py, 1.5 * (devicePixelRatio || 1), 0, 7);
      }
      open = true;
    }
    this.paths.set(line, { key, path });
    return path;
  }

  private stroke(context: CanvasRenderingContext2D, line: Line, width: number): void {
    const ratio = devicePixelRatio || 1;
    context.strokeStyle = line.color;
    context.lineWidth = width * ratio;
    context.lineJoin = 'bevel';
    context.setLineDash(line.dashed ? [5 * ratio, 4 * ratio] : []);
    context.stroke(this.path(line));
  }

  private draw(): void {
    const { ctx, bbox } = this.chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const many = this.lines.length > 40;
    ctx.globalAlpha = many ? 0.75 : 1;
    const best = this.state.best && this.byId.get(this.state.best.id);
    for (const line of this.lines) if (line !== best) this.stroke(ctx, line, many ? 1 : 1.5);
    ctx.globalAlpha = 1;
    if (best) this.stroke(ctx, best, 2.25);
    if (best && this.state.best) this.mark(ctx, best, this.state.best.step, this.state.best.value, 4);
    ctx.restore();
    this.drawOver();
  }

  private mark(context: CanvasRenderingContext2D, line: Line, step: number, value: number, radius: number): void {
    const { x, y } = this.toPixels();
    const ratio = devicePixelRatio || 1;
    context.setLineDash([]);
    context.beginPath();
    context.arc(x(step), y(value), radius * ratio, 0, 7);
    context.fillStyle = this.colors.back;
    context.fill();
    context.lineWidth = 2 * ratio;
    context.strokeStyle = line.color;
    context.stroke();
  }

  // --- the pointer ------------------------------------------------------------------------------------------------------

  private moved(u: uPlot): void {
    const { left = -1, top = -1 } = u.cursor;
    if (left < 0 || top < 0) {
      if (this.pointer) this.highlight.set(null);
      this.pointer = null;
      this.tip.hidden = true;
      return;
    }
    this.pointer = { x: left, y: top };
    const found = this.nearest(u, left, top);
    if (found?.id === this.highlight.get()) this.drawOver();
    else this.highlight.set(found?.id ?? null);
  }

  private nearest(u: uPlot, left: number, top: number): Line | null {
    const step = u.posToVal(left, 'x');
    const ratio = devicePixelRatio || 1;
    const { y } = this.toPixels();
    let best: Line | null = null;
    let least = NEAR_PX;
    for (const line of this.lines) {
      const at = { steps: line.steps, values: line.drawn };
      const value = valueAt(at, step) ?? line.drawn[nearestIndex(at, step)];
      if (value === null || value === undefined) continue;
      const distance = Math.abs((y(value) - u.bbox.top) / ratio - top);
      if (distance < least) {
        least = distance;
        best = line;
      }
    }
    return best;
  }

  protected drawOver(): void {
    const { bbox } = this.chart;
    const [width, height] = [Math.round(bbox.width), Math.round(bbox.height)];
    const context = emptied(this.over, width, height);
    const line = this.byId.get(this.highlight.get() ?? '');
    if (!line) {
      this.tip.hidden = true;
      return;
    }
    context.save();
    if (this.lines.length > 1) {
      context.globalAlpha = 0.7;
      context.fillStyle = this.colors.back;
      context.fillRect(0, 0, width, height);
      context.globalAlpha = 1;
    }
    context.translate(-bbox.left, -bbox.top);
    // Colours do not help among many curves, so the highlighted curve stands out by itself.
    const plain = this.lines.length > FEW ? { ...line, color: this.colors.highlight } : line;
    this.paths.set(plain, { key: this.toPixels().key, path: this.path(line) });
    this.stroke(context, plain, 2.5);
    this.point(context, plain);
    context.restore();
  }

  /** The measured point under the pointer, and what it is. */
  private point(context: CanvasRenderingContext2D, line: Line): void {
    const index = this.pointer
      ? nearestIndex({ steps: line.steps, values: line.drawn }, this.chart.posToVal(this.pointer.x, 'x'))
      : -1;
    const value = line.drawn[index];
    this.tip.hidden = true;
    if (value === null || value === undefined) return;
    const step = line.steps[index] as number;
    this.mark(context, line, step, value, 3.5);
    const raw = line.values[index];
    const smoothed = this.state.smoothing > 0 ? ` (smoothed ${number(value)})` : '';
    const at = this.state.clock ? clock(step * 1000) : `${this.state.stepName} ${number(step)}`;
    const { width, height } = this.chart.over.getBoundingClientRect();
    if (this.pointer) this.showTip(`${line.label}\n${at}: ${number(raw, 5)}${smoothed}`, this.pointer, width, height);
  }
}

/** uPlot wants points to have scales: two that are not drawn. */
const EMPTY: uPlot.AlignedData = [
  [0, 1],
  [null, null],
];

function tick(value: number | null): string {
  return value === null || value === undefined ? '' : number(Number(value.toPrecision(10)));
}
