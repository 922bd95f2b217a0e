/** The graph itself, outside of React. uPlot has axes, scales and zoom; the lines are drawn here.
 *
 * Each line keeps its own steps (sweeps mix steps, and a common axis of 300 thinned curves would have ten thousands of
 * them), and a highlighted line is drawn on a canvas above the others, which so need not be drawn anew on every move.
 */

import uPlot from 'uplot';
import { nearestIndex, smooth, stepRange, valueAt, valueRange } from '../../lib/curves';
import { clock, duration, number } from '../../lib/format';
import type { Highlight } from '../../lib/highlight';
import { linearTicks, logTicks, timeTicks } from '../../lib/ticks';
import { emptied, FONT, type Layer, type Place, Plot, type TipRow } from './Plot';

export interface ChartSeries {
  id: string;
  label: string;
  steps: readonly number[];
  values: readonly (number | null)[];
  color: string;
  dashed?: boolean;
  /** Around the line: how far those that it stands for lie apart. */
  band?: { low: readonly (number | null)[]; high: readonly (number | null)[] } | undefined;
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
  /** Steps are seconds since a start. */
  span: boolean;
  /** What the axes span; as far as the curves go when not given. */
  across: Range | undefined;
  up: Range | undefined;
  onZoom: (zoomed: boolean) => void;
}

/** Of a graph without any curve. */
export const PLAIN: PlotState = {
  series: [],
  best: null,
  stepName: 'epoch',
  clock: false,
  span: false,
  across: undefined,
  up: undefined,
  log: false,
  smoothing: 0,
  clip: false,
  onZoom: () => {},
};

type Values = readonly (number | null)[];

interface Line extends ChartSeries {
  drawn: Values;
  drawnBand: { low: Values; high: Values } | null;
}

interface Near {
  line: Line;
  index: number;
  value: number;
  distance: number;
}

const NEAR_PX = 36;
const FEW = 12;
/** How many values are listed beside the pointer. */
const LISTED = 8;
const HEIGHT_OF_AXIS = 26;
const WIDTH_OF_AXIS = 58;
const WIDTH_OF_TIME = 72;
const HEIGHT_OF_TICK = 60;

export class CurvePlot extends Plot<PlotState> {
  private chart: uPlot;
  private state: PlotState = PLAIN;
  private lines: Line[] = [];
  private byId = new Map<string, Line>();
  /** Steps are counted: there are no ticks between whole numbers. */
  private whole = true;
  private made = new WeakMap<ChartSeries, { smoothing: number; line: Line }>();
  private paths = new WeakMap<Line, { key: string; path: Path2D }>();
  private zoom: { x: Range; y: Range | null } | null = null;
  private spans: { lines: Line[]; state: PlotState; zoom: unknown; x: Range; y: Range } | null = null;
  private pointer: Place | null = null;
  private near: Near[] = [];
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
    const rebuild =
      state.log !== known.log ||
      state.stepName !== known.stepName ||
      state.clock !== known.clock ||
      state.span !== known.span;
    // A range of epochs is no range of hours.
    if (state.clock !== known.clock || state.span !== known.span) this.zoom = null;
    this.state = state;
    this.lines = state.series.filter((one) => one.steps.length > 0).map((one) => this.line(one));
    this.byId = new Map(this.lines.map((line) => [line.id, line]));
    this.near = this.near.filter(({ line }) => this.lines.includes(line));
    this.whole = this.lines.every(({ steps }) => steps.every(Number.isInteger));
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
    const { smoothing } = this.state;
    const { band } = series;
    const drawnBand = band ? { low: smooth(band.low, smoothing), high: smooth(band.high, smoothing) } : null;
    const line = { ...series, drawn: smooth(series.values, smoothing), drawnBand };
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
      // uPlot's own ticks do not end for some limits, as [9.5, 10) x 10^k on a log axis: it is not asked for any.
      incrs: (_, __, min, max) => [Math.max(max - min, 5)],
      filter: (_, ticks) => ticks,
      ...more,
    });
    const chart = new uPlot(
      {
        ...this.size,
        padding: [12, this.state.clock ? 30 : 14, 0, 0], // half of a time is right of the last tick
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
          axis({ size: HEIGHT_OF_AXIS, splits: this.stepTicks, ...this.stepAxis() }),
          axis({ size: WIDTH_OF_AXIS, splits: this.valueTicks, values: (_, ticks) => ticks.map(tick) }),
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
      : { values: (_, ticks) => ticks.map(this.state.span ? duration : tick), label: this.state.stepName };
  }

  private stepTicks = (_: uPlot, __: number, min: number, max: number): number[] => {
    const about = Math.max(Math.round(this.size.width / WIDTH_OF_TIME / 1.5), 2);
    if (this.state.clock) return timeTicks(min, max, about, -60 * new Date(max * 1000).getTimezoneOffset());
    return this.state.span ? timeTicks(min, max, about) : linearTicks(min, max, about, this.whole);
  };

  private valueTicks = (_: uPlot, __: number, min: number, max: number): number[] =>
    this.state.log
      ? logTicks(Math.log10(min), Math.log10(max))
      : linearTicks(min, max, Math.max(Math.round(this.size.height / HEIGHT_OF_TICK), 2));

  /** Asked for several times a drawing, and dear with many points: worked out once. */
  private ranges(): { x: Range; y: Range } {
    const known = this.spans;
    if (known?.lines === this.lines && known.state === this.state && known.zoom === this.zoom) return known;
    const x = this.zoom?.x ?? this.state.across ?? stepRange(this.lines);
    const drawn = this.lines.flatMap(({ steps, drawn: values, drawnBand }) => [
      { steps, values },
      ...(drawnBand ? [drawnBand.low, drawnBand.high].map((edge) => ({ steps, values: edge })) : []),
    ]);
    const given = this.zoom?.y ?? this.state.up;
    // What was zoomed to on a linear axis may go below zero.
    const y = given && !(this.state.log && given[0] <= 0) ? given : valueRange(drawn, x[0], x[1], this.state);
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

  private fill(context: CanvasRenderingContext2D, line: Line): void {
    if (!line.drawnBand) return;
    const { x, y } = this.toPixels();
    const { low, high } = line.drawnBand;
    const known = line.steps.map((_, i) => i).filter((i) => low[i] !== null && high[i] !== null);
    context.beginPath();
    for (const i of known) context.lineTo(x(line.steps[i] as number), y(high[i] as number));
    for (const i of known.reverse()) context.lineTo(x(line.steps[i] as number), y(low[i] as number));
    context.fillStyle = line.color;
    context.fill();
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
    ctx.globalAlpha = 0.16;
    for (const line of this.lines) this.fill(ctx, line);
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
      const here = this.pointer !== null;
      this.pointer = null;
      this.near = [];
      this.tip.hidden = true;
      if (here) this.highlight.set(null);
      return;
    }
    this.pointer = { x: left, y: top };
    this.near = this.nearest(u, left, top);
    const [first] = this.near;
    const id = first && first.distance < NEAR_PX ? first.line.id : null;
    if (id === this.highlight.get()) this.drawOver();
    else this.highlight.set(id);
  }

  /** The lines nearest to the pointer, at its step, the nearest first. */
  private nearest(u: uPlot, left: number, top: number): Near[] {
    const step = u.posToVal(left, 'x');
    const ratio = devicePixelRatio || 1;
    const { y } = this.toPixels();
    const found: Near[] = [];
    for (const line of this.lines) {
      const at = { steps: line.steps, values: line.drawn };
      const index = nearestIndex(at, step);
      const value = valueAt(at, step) ?? line.drawn[index];
      if (value === null || value === undefined) continue;
      const distance = Math.abs((y(value) - u.bbox.top) / ratio - top);
      if (found.length === LISTED && distance >= (found.at(-1) as Near).distance) continue;
      const place = found.findIndex((one) => distance < one.distance);
      found.splice(place < 0 ? found.length : place, 0, { line, index, value, distance });
      found.length = Math.min(found.length, LISTED);
    }
    return found;
  }

  protected drawOver(): void {
    const { bbox } = this.chart;
    const [width, height] = [Math.round(bbox.width), Math.round(bbox.height)];
    const context = emptied(this.over, width, height);
    const line = this.byId.get(this.highlight.get() ?? '');
    this.listValues(line);
    if (!line) return;
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
    context.globalAlpha = 0.2;
    this.fill(context, plain);
    context.globalAlpha = 1;
    this.paths.set(plain, { key: this.toPixels().key, path: this.path(line) });
    this.stroke(context, plain, 2.5);
    const near = this.near.find((one) => one.line === line);
    const value = near && line.drawn[near.index];
    if (this.pointer && near && value !== null && value !== undefined)
      this.mark(context, plain, line.steps[near.index] as number, value, 3.5);
    context.restore();
  }

  /** Beside the pointer: where it is, and the values of the lines around it from the top down. */
  private listValues(highlighted: Line | undefined): void {
    this.tip.hidden = true;
    const [first] = this.near;
    if (!this.pointer || !first) return;
    const one = this.near.find(({ line }) => line === highlighted) ?? first;
    const step = one.line.steps[one.index] as number;
    const at = this.state.clock
      ? clock(step * 1000)
      : this.state.span
        ? `${this.state.stepName} ${duration(step)}`
        : `${this.state.stepName} ${number(step)}`;
    const rows = [...this.near].sort((a, b) => b.value - a.value).map((near) => this.listed(near, highlighted));
    const left = this.lines.length - rows.length;
    const { width, height } = this.chart.over.getBoundingClientRect();
    this.showTip([at, ...rows, ...(left > 0 ? [`and ${left} more`] : [])], this.pointer, width, height);
  }

  private listed({ line, index }: Near, highlighted: Line | undefined): TipRow {
    const spread = line.band ? ` ± ${number(((line.band.high[index] ?? 0) - (line.band.low[index] ?? 0)) / 2, 2)}` : '';
    const smoothed = this.state.smoothing > 0 ? ` (smoothed ${number(line.drawn[index])})` : '';
    const value = `${number(line.values[index], 5)}${spread}${smoothed}`;
    return { color: line.color, label: line.label, value, strong: line === highlighted };
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
