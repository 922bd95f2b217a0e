/** A graph that is drawn by ourselves: two layers, the graph and what is highlighted. */

import type { Highlight } from '../../lib/highlight';
import { emptied, FONT, type Layer, layer, type Place, Plot } from './Plot';

export abstract class CanvasPlot<State> extends Plot<State> {
  protected state: State | null = null;
  protected width = 0;
  protected height = 0;

  private readonly base = layer();
  private pointer: Place | null = null;
  private frame = 0;

  constructor(root: HTMLElement, highlight: Highlight, tipClass: string) {
    super(root, highlight, tipClass);
    root.append(this.base, this.over, this.tip);
    root.addEventListener('pointermove', this.moved);
    root.addEventListener('pointerleave', this.left);
    root.addEventListener('click', this.clicked);
    this.resize();
  }

  /** The graph itself. */
  protected abstract draw(context: CanvasRenderingContext2D, state: State): void;
  /** What is highlighted, over the graph that has been made fainter. */
  protected abstract drawOne(context: CanvasRenderingContext2D, state: State, id: string): void;
  protected abstract nearest(state: State, x: number, y: number): string | null;
  protected abstract label(state: State, id: string): string | undefined;

  override destroy(): void {
    cancelAnimationFrame(this.frame);
    this.root.removeEventListener('pointermove', this.moved);
    this.root.removeEventListener('pointerleave', this.left);
    this.root.removeEventListener('click', this.clicked);
    super.destroy();
  }

  update(state: State): void {
    this.state = state;
    this.redraw();
  }

  protected layers(): Layer[] {
    return [this.base, this.over].map((canvas) => ({ canvas, x: 0, y: 0 }));
  }

  protected redraw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      const context = this.ready(this.base);
      if (this.state) this.draw(context, this.state);
      this.drawOver();
    });
  }

  protected resize(): void {
    this.width = this.root.clientWidth;
    this.height = this.root.clientHeight;
    this.redraw();
  }

  /** Empty, and counted in CSS pixels. */
  private ready(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const ratio = devicePixelRatio || 1;
    const context = emptied(canvas, Math.round(this.width * ratio), Math.round(this.height * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = `11px ${FONT}`;
    return context;
  }

  protected drawOver(): void {
    const context = this.ready(this.over);
    const id = this.highlight.get();
    const label = this.state && id !== null ? this.label(this.state, id) : undefined;
    this.tip.hidden = true;
    if (!this.state || id === null || label === undefined) return;
    this.drawOne(context, this.state, id);
    if (this.pointer) this.showTip([label], this.pointer, this.width, this.height);
  }

  private moved = (event: PointerEvent): void => {
    const box = this.root.getBoundingClientRect();
    this.pointer = { x: event.clientX - box.left, y: event.clientY - box.top };
    const id = this.state ? this.nearest(this.state, this.pointer.x, this.pointer.y) : null;
    this.root.style.cursor = id ? 'pointer' : '';
    if (id === this.highlight.get()) this.drawOver();
    else this.highlight.set(id);
  };

  private left = (): void => {
    this.pointer = null;
    this.highlight.set(null);
  };

  private clicked = (): void => {
    const id = this.highlight.get();
    if (id && this.state && this.label(this.state, id) !== undefined) this.onPick(id);
  };
}
