import { describe, expect, it } from 'vitest';
import { architectureText, layersOf } from './architecture';
import { shortValue } from './params';

const LAYERS = [
  { type: 'conv', width: 32, dropout: 0.25 },
  { type: 'conv', width: 32, dropout: 0.1, skip: null },
  { type: 'pool' },
  { type: 'dense', width: 64, skip: 1 },
];

describe('an architecture in short', () => {
  it('names each layer by its kind and size, equal neighbours together', () => {
    expect(architectureText(layersOf(LAYERS) ?? [])).toBe('conv 32 ×2 · pool · dense 64 +2');
    expect(shortValue(LAYERS)).toBe('conv 32 ×2 · pool · dense 64 +2');
  });

  it('keeps all members for those who point at it', () => {
    expect(layersOf(LAYERS)?.[0]).toEqual({ text: 'conv 32', title: 'type conv, width 32, dropout 0.25', skip: null });
    expect(layersOf(LAYERS)?.[3]?.skip).toBe(1);
  });

  it('is for lists of layers only', () => {
    for (const value of [[], [1, 2], 'conv', null, { a: 1 }, [{ w: 1 }, null], [[{ w: 1 }]]]) {
      expect(layersOf(value)).toBeNull();
    }
    expect(architectureText(layersOf([{ w: 1 }, { w: 2 }]) ?? [])).toBe('1 · 2');
    expect(layersOf([{ type: 'a', skip: 5 }])?.[0]?.skip).toBeNull();
  });
});
