/** A graph on canvas, outside of React: what is highlighted is drawn above the rest, which so stays as it is. */

import type { Highlight } from '../../../lib/highlight';

export interface Colors {
  text: string;
  strong: string;
  line: string;
  back: string;
  highlight: string;
}

const LAYER = 'position:absolute;inset:0;width:100%;height:100%;pointer-events:none';

export abstract class CanvasPlot<State> {
  onPick: (id: string) => void = () => {};

  protected state: State | null = null;
  protected colors: Colors = { text: '#555', strong: '#000', line: '#ddd', back: '#fff', highlight: '#000' };
  protected width = 0;
  protected height = 0;

  private readonly base = document.createElement('canvas');
  private readonly over = document.createElement('canvas');
  private readonly tip = document.createElement('div');
  private pointer: { x: number; y: number } | null = null;
  private frame = 0;
  private readonly unsubscribe: () => void;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly root: HTMLElement,
    protected readonly highlight: Highlight,
    tipClass: string,
  ) {
    this.base.style.cssText = LAYER;
    this.over.style.cssText = LAYER;
    this.tip.className = tipClass;
    this.tip.hidden = true;
    root.append(this.base, this.over, this.tip);
    root.addEventListener('pointermove', this.moved);
    root.addEventListener('pointerleave', this.left);
    root.addEventListener('click', this.clicked);
    this.unsubscribe = highlight.subscribe(() => this.drawOver());
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
    this.recolor();
    this.resize();
  }

  /** The graph itself. */
  protected abstract draw(context: CanvasRenderingContext2D, state: State): void;
  /** What is highlighted, over the graph that has been made fainter. */
  protected abstract drawOne(context: CanvasRenderingContext2D, state: State, id: string): void;
  protected abstract nearest(state: State, x: number, y: number): string | null;
  protected abstract label(state: State, id: string): string | undefined;

  destroy(): void {
    this.unsubscribe();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    this.root.removeEventListener('pointermove', this.moved);
    this.root.removeEventListener('pointerleave', this.left);
    this.root.removeEventListener('click', this.clicked);
    this.root.replaceChildren();
  }

  update(state: State): void {
    this.state = state;
    this.redraw();
  }

  /** After a change between light and dark. */
  recolor(): void {
    const style = getComputedStyle(this.root);
    const color = (name: string, known: string) => style.getPropertyValue(name).trim() || known;
    this.colors = {
      text: color('--mantine-color-dimmed', '#555'),
      strong: style.color || '#000',
      line: color('--app-line', '#ddd'),
      back: color('--app-raised', '#fff'),
      highlight: color('--app-highlight', '#000'),
    };
    this.redraw();
  }

  /** What a variable of the style sheet says now. */
  protected css(name: string): string {
    return getComputedStyle(this.root).getPropertyValue(name).trim() || this.colors.text;
  }

  picture(title: string): Promise<Blob | null> {
    const ratio = devicePixelRatio || 1;
    const head = 34 * ratio;
    const canvas = document.createElement('canvas');
    canvas.width = this.base.width;
    canvas.height = this.base.height + head;
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.fillStyle = this.colors.back;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = this.colors.strong;
    context.font = `600 ${15 * ratio}px system-ui, sans-serif`;
    context.fillText(title, 12 * ratio, 23 * ratio);
    context.drawImage(this.base, 0, head);
    context.drawImage(this.over, 0, head);
    return new Promise((done) => canvas.toBlob(done, 'image/png'));
  }

  private redraw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      const context = this.ready(this.base);
      if (this.state) this.draw(context, this.state);
      this.drawOver();
    });
  }

  private resize(): void {
    this.width = this.root.clientWidth;
    this.height = this.root.clientHeight;
    this.redraw();
  }

  /** Empty, of the right size, counted in CSS pixels. */
  private ready(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = '11px system-ui, sans-serif';
    return context;
  }

  private drawOver(): void {
    const context = this.ready(this.over);
    const id = this.highlight.get();
    const label = this.state && id !== null ? this.label(this.state, id) : undefined;
    this.tip.hidden = label === undefined || this.pointer === null;
    if (!this.state || id === null || label === undefined) return;
    this.drawOne(context, this.state, id);
    if (this.pointer) this.placeTip(label, this.pointer);
  }

  private placeTip(label: string, { x, y }: { x: number; y: number }): void {
    this.tip.textContent = label;
    const [w, h] = [this.tip.offsetWidth, this.tip.offsetHeight];
    const left = x + 14 + w > this.width ? Math.max(x - 14 - w, 0) : x + 14;
    const top = Math.min(Math.max(y - h - 10, 0), Math.max(this.height - h, 0));
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
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
