/** What all graphs on canvas share, outside of React: colours, size, and a layer above for what is highlighted. */

import type { Highlight } from '../../lib/highlight';

export interface Colors {
  text: string;
  strong: string;
  line: string;
  soft: string;
  back: string;
  highlight: string;
}

export interface Place {
  x: number;
  y: number;
}

/** A line of what is shown beside the pointer: what, and its value. */
export interface TipRow {
  color: string;
  label: string;
  value: string;
  strong: boolean;
}

/** A canvas of a picture, and where it lies in device pixels. */
export interface Layer extends Place {
  canvas: HTMLCanvasElement;
}

export const FONT = 'system-ui, sans-serif';
const LAYER = 'position:absolute;inset:0;width:100%;height:100%;pointer-events:none';
const HEAD_PX = 34;

export abstract class Plot<State> {
  onPick: (id: string) => void = () => {};

  protected colors: Colors;
  protected readonly over = layer();
  protected readonly tip = document.createElement('div');
  private readonly unsubscribe: () => void;
  private readonly observer: ResizeObserver;

  constructor(
    protected readonly root: HTMLElement,
    protected readonly highlight: Highlight,
    tipClass: string,
  ) {
    this.tip.className = tipClass;
    this.tip.hidden = true;
    this.colors = this.readColors();
    this.unsubscribe = highlight.subscribe(() => this.drawOver());
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
  }

  abstract update(state: State): void;
  /** The graph, then what is above it. */
  protected abstract redraw(): void;
  /** What is highlighted, above the rest, which so stays as it is. */
  protected abstract drawOver(): void;
  /** After a change of the element's size. */
  protected abstract resize(): void;
  /** From the lowest to the highest. */
  protected abstract layers(): Layer[];

  destroy(): void {
    this.unsubscribe();
    this.observer.disconnect();
    this.root.replaceChildren();
  }

  /** After a change between light and dark. */
  recolor(): void {
    this.colors = this.readColors();
    this.redraw();
  }

  /** The present value of a variable of the style sheet. */
  protected css(name: string, fallback = this.colors.text): string {
    return getComputedStyle(this.root).getPropertyValue(name).trim() || fallback;
  }

  private readColors(): Colors {
    return {
      text: this.css('--mantine-color-dimmed', '#555'),
      strong: getComputedStyle(this.root).color || '#000',
      line: this.css('--app-line', '#ddd'),
      soft: this.css('--app-line-soft', '#eee'),
      back: this.css('--app-raised', '#fff'),
      highlight: this.css('--app-highlight', '#000'),
    };
  }

  /** The graph as it stands, on its background, with a title. */
  picture(title: string): Promise<Blob | null> {
    const ratio = devicePixelRatio || 1;
    const head = Math.round(HEAD_PX * ratio);
    const layers = this.layers();
    const canvas = document.createElement('canvas');
    canvas.width = layers[0]?.canvas.width ?? 0;
    canvas.height = (layers[0]?.canvas.height ?? 0) + head;
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.fillStyle = this.colors.back;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = this.colors.strong;
    context.font = `600 ${15 * ratio}px ${FONT}`;
    context.fillText(title, 12 * ratio, 23 * ratio);
    for (const { canvas: one, x, y } of layers) context.drawImage(one, x, y + head);
    return new Promise((done) => canvas.toBlob(done, 'image/png'));
  }

  /** Beside the pointer, inside of what is `width` wide and `height` high. */
  protected showTip(lines: readonly (string | TipRow)[], { x, y }: Place, width: number, height: number): void {
    this.tip.replaceChildren(...lines.map(tipLine));
    this.tip.hidden = false;
    const [w, h] = [this.tip.offsetWidth, this.tip.offsetHeight];
    const left = x + 14 + w > width ? Math.max(x - 14 - w, 0) : x + 14;
    const top = Math.min(Math.max(y - h - 10, 0), Math.max(height - h, 0));
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }
}

function tipLine(line: string | TipRow): HTMLElement {
  const row = document.createElement('div');
  if (typeof line === 'string') {
    row.textContent = line;
    return row;
  }
  row.style.cssText = `display:flex;gap:8px;align-items:baseline;font-weight:${line.strong ? 600 : 400}`;
  const swatch = document.createElement('span');
  swatch.style.cssText = `flex:none;width:8px;height:8px;border-radius:2px;background:${line.color}`;
  const label = document.createElement('span');
  label.style.cssText = 'flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap';
  label.textContent = line.label;
  const value = document.createElement('span');
  value.textContent = line.value;
  row.append(swatch, label, value);
  return row;
}

export function layer(): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.style.cssText = LAYER;
  return canvas;
}

/** A canvas emptied, and of this size in device pixels. */
export function emptied(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
