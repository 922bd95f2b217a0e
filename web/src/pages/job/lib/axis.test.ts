import { describe, expect, it } from 'vitest';
import { linearTicks, logTicks } from '../../../lib/ticks';
import { paramAxis, scalesFor, valueAxis } from './axis';

const many = Array.from({ length: 20 }, (_, i) => 10 ** (-4 + i * 0.2));

describe('scales', () => {
  it('are chosen by the values', () => {
    expect(scalesFor(['a', 'b'])).toEqual(['categories']);
    expect(scalesFor([16, 32, 64])).toEqual(['categories', 'linear', 'log']);
    expect(scalesFor(many)[0]).toBe('log');
    expect(scalesFor([...many, 0])[0]).toBe('linear');
    expect(scalesFor([true, false])).toEqual(['categories']);
  });
});

describe('a parameter', () => {
  it('has a place for each category, numbers in order', () => {
    const axis = paramAxis('batch', [128, 16, 32, 16]);
    expect(axis.ticks.map(({ text }) => text)).toEqual(['16', '32', '128']);
    expect(axis.place(16)).toBeCloseTo(1 / 6);
    expect(axis.place(64)).toBeNull();
    expect(axis.place(undefined)).toBeNull();
  });

  it('goes from end to end on a logarithmic axis', () => {
    const axis = paramAxis('lr', many);
    expect(axis.scale).toBe('log');
    expect(axis.place(many[0])).toBeCloseTo(0);
    expect(axis.place(many.at(-1))).toBeCloseTo(1);
    expect(axis.place('text')).toBeNull();
    expect(paramAxis('lr', many, 'linear').scale).toBe('linear');
    expect(paramAxis('lr', many, 'nonsense').scale).toBe('log');
  });

  it('names only some of very many categories', () => {
    const axis = paramAxis(
      'seed',
      Array.from({ length: 100 }, (_, i) => `run ${i}`),
    );
    expect(axis.ticks.length).toBeLessThanOrEqual(24);
    expect(axis.place('run 99')).toBeCloseTo(0.995);
  });
});

describe('the objective', () => {
  it('keeps far values at the end when it is clipped', () => {
    const values = [...Array.from({ length: 20 }, (_, i) => 0.1 + i / 100), 1e6];
    const axis = valueAxis('val_loss', values, { clip: true });
    expect(axis.place(1e6)).toBe(1);
    expect(axis.place(0.29)).toBeGreaterThan(0.2);
    expect(valueAxis('val_loss', values).place(0.29)).toBeLessThan(0.1);
  });

  it('is on a logarithmic axis where it can be', () => {
    expect(valueAxis('loss', [0.1, 10], { log: true }).scale).toBe('log');
    expect(valueAxis('reward', [-1, -2], { log: true }).scale).toBe('linear');
    expect(valueAxis('nothing', []).ticks.length).toBeGreaterThan(1);
  });
});

it('has round ticks', () => {
  expect(linearTicks(0, 1)).toEqual([0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
  expect(logTicks(-4, 0).map((tick) => tick.toPrecision(3))).toEqual([
    '0.000100',
    '0.00100',
    '0.0100',
    '0.100',
    '1.00',
  ]);
  expect(logTicks(0.1, 0.2).length).toBeGreaterThan(1);
});
