import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameMark } from './bridge-source.ts';
import { framesOf } from './traceback.ts';

describe('framesOf', () => {
  it('tells apart what the bridge has marked, whatever the frames hold', () => {
    const frame = fc.string({ unit: 'binary' }).filter((text) => !text.includes(frameMark));
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1 }), (frames) => {
        const traceback = frames.map((text) => text + frameMark).join('');
        expect(framesOf({ name: 'E', value: 'v', traceback })).toEqual(frames);
      }),
    );
  });

  it('finds the borders of IPython frames where nothing marks them', () => {
    const frames = [
      '-'.repeat(75),
      'ZeroDivisionError                         Traceback (most recent call last)',
      'Cell In[3], line 4\n      1 def f():\n      2     return 1 / 0\n----> 4 f()',
      'Cell In[3], line 2, in f()\n      1 def f():\n----> 2     return 1 / 0',
      'File /usr/lib/python3/site-packages/a.py:7, in g(x)\n      6 def g(x):\n----> 7     return f(x)',
      'ZeroDivisionError: division by zero',
    ];
    const found = framesOf({
      name: 'ZeroDivisionError',
      value: 'division by zero',
      traceback: frames.join(''),
    });
    expect(found.join('\n')).toBe(frames.join('\n'));
  });

  it('makes lines of nothing that is none', () => {
    expect(framesOf({ name: 'E', value: '', traceback: '' })).toEqual([]);
    expect(framesOf({ name: 'E', value: 'v', traceback: 'E: v' })).toEqual(['E: v']);
    expect(framesOf({ name: 'SyntaxError', value: 'x', traceback: 'one line' })).toEqual(['one line']);
  });

  it('loses no character', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (traceback, value) => {
        const text = framesOf({ name: 'E', value, traceback }).join('\n');
        expect(text.replaceAll('\n', '')).toBe(traceback.replaceAll('\n', '').replaceAll(frameMark, ''));
      }),
    );
  });
});
