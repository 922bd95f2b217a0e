import { describe, expect, it } from 'vitest';
import { inline, isSafe, parse } from './markdown';

const text = (value: string) => ({ kind: 'text', text: value });

describe('markdown', () => {
  it('has headings, paragraphs, lists, quotes, code and rules', () => {
    const found = parse(
      '# Title\nwords\nmore\n\n- one\n- two\n\n1. first\n\n> quoted\n> too\n\n```py\nx = "<b>"\n```\n---',
    );
    expect(found.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'list', 'list', 'quote', 'code', 'rule']);
    expect(found[1]).toEqual({ kind: 'paragraph', parts: [text('words\nmore')] });
    expect(found[2]).toEqual({ kind: 'list', ordered: false, items: [[text('one')], [text('two')]] });
    expect(found[5]).toEqual({ kind: 'code', text: 'x = "<b>"' });
  });

  it('has emphasis, code and links inside', () => {
    expect(inline('a **bold _both_** `x*y*z` [page](/jobs/k3v) https://a.example/b.')).toEqual([
      text('a '),
      { kind: 'strong', parts: [text('bold '), { kind: 'em', parts: [text('both')] }] },
      text(' '),
      { kind: 'code', text: 'x*y*z' },
      text(' '),
      { kind: 'link', href: '/jobs/k3v', parts: [text('page')] },
      text(' '),
      { kind: 'link', href: 'https://a.example/b.', parts: [text('https://a.example/b.')] },
    ]);
    expect(inline('val_loss_mean and 2*3*4')).toEqual([text('val_loss_mean and 2*3*4')]);
  });

  it('takes HTML for text, and links that run something for words', () => {
    expect(parse('<script>alert(1)</script><img src=x onerror=alert(1)>')).toEqual([
      { kind: 'paragraph', parts: [text('<script>alert(1)</script><img src=x onerror=alert(1)>')] },
    ]);
    for (const href of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      '//evil.example',
      '/\\evil',
      'vbscript:x',
    ])
      expect(isSafe(href), href).toBe(false);
    expect(JSON.stringify(inline('[x](javascript:alert(1)) ![y](data:image/svg+xml,x)'))).not.toContain('href');
  });

  it('is quick with any text', () => {
    const began = performance.now();
    for (const part of ['*', '**a', '[', '`', '[a](', '> ', '- ', '_a', '![', 'http://', '#', '```\n'])
      parse(part.repeat(20_000 / part.length));
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('ends a fence that is never closed with the text', () => {
    expect(parse('```\na\nb')).toEqual([{ kind: 'code', text: 'a\nb' }]);
  });
});
