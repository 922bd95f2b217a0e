import { expect, it } from 'vitest';
import { browserText, hueOf, initials } from './people';

it('has one or two letters for everybody', () => {
  expect(initials('ada')).toBe('AD');
  expect(initials('ada', 'Ada King Lovelace')).toBe('AL');
  expect(initials('j.doe')).toBe('JD');
  expect(initials('x')).toBe('X');
  expect(initials('zo', '  Zoë  ')).toBe('ZO');
  expect(initials('', '')).toBe('?');
});

it('gives a name the same hue always, and several names several', () => {
  expect(hueOf('alice')).toBe(hueOf('alice'));
  const hues = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi'].map(hueOf);
  expect(new Set(hues).size).toBeGreaterThan(3);
  expect(hues.every((hue) => hue >= 0 && hue < 360 && hue % 30 === 0)).toBe(true);
});

it('names a browser in a few words', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  expect(browserText(chrome)).toBe('Chrome on Linux');
  expect(browserText(`${chrome} Edg/140.0`)).toBe('Edge on Linux');
  expect(browserText('Mozilla/5.0 (Macintosh; Intel Mac OS X 14.5; rv:143.0) Gecko/20100101 Firefox/143.0')).toBe(
    'Firefox on macOS',
  );
  expect(browserText('curl/8.5.0')).toBe('curl/8.5.0');
  expect(browserText('')).toBe('unknown browser');
});
