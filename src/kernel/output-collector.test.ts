import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Output } from '../core/index.ts';
import { OutputCollector } from './output-collector.ts';

const out = (text: string): Output => ({ output_type: 'stream', name: 'stdout', text });
const err = (text: string): Output => ({ output_type: 'stream', name: 'stderr', text });
const shown = (text: string, displayId?: string): Output => ({
  output_type: 'display_data',
  data: { 'text/plain': text },
  metadata: {},
  ...(displayId === undefined ? {} : { displayId }),
});

function collected(steps: readonly (Output | 'clear' | 'clear later')[], outputBytes = 1000): Output[] {
  const collector = new OutputCollector({ outputBytes });
  for (const step of steps) {
    if (typeof step === 'string') collector.clear({ wait: step === 'clear later' });
    else collector.put(step);
  }
  return collector.finish().outputs;
}

describe('OutputCollector', () => {
  // Restates what nbclient's tests expect of sequences of messages.
  it.each<[string, Parameters<typeof collected>[0], Output[]]>([
    [
      'joins what one stream says in a row',
      [out('a'), out('b'), err('c'), out('d')],
      [out('ab'), err('c'), out('d')],
    ],
    ['keeps a display between two texts', [out('a'), shown('x'), out('b')], [out('a'), shown('x'), out('b')]],
    ['leaves out empty texts', [out(''), shown('x'), out('')], [shown('x')]],
    ['clears at once', [out('a'), 'clear', out('b')], [out('b')]],
    ['clears when the next output comes', [out('a'), 'clear later', out('b')], [out('b')]],
    ['keeps all where none comes', [out('a'), 'clear later'], [out('a')]],
    ['clears once for two clears', [out('a'), 'clear later', 'clear later', out('b'), out('c')], [out('bc')]],
  ])('%s', (_, steps, wanted) => {
    expect(collected(steps)).toEqual(wanted);
  });

  it('gives displays of one id their new content, and says where there is none', () => {
    const collector = new OutputCollector({ outputBytes: 1000 });
    for (const output of [shown('1', 'a'), shown('2', 'b'), shown('3', 'a')]) collector.put(output);
    expect(collector.update({ displayId: 'a', data: { 'text/plain': 'new' }, metadata: { m: 1 } })).toBe(
      true,
    );
    expect(collector.update({ displayId: 'c', data: {}, metadata: {} })).toBe(false);
    expect(collector.finish().outputs).toMatchObject([
      { data: { 'text/plain': 'new' }, metadata: { m: 1 } },
      { data: { 'text/plain': '2' } },
      { data: { 'text/plain': 'new' }, metadata: { m: 1 } },
    ]);
  });

  it('keeps all text within the limit, and exactly what came where none is left out', () => {
    const pieces = fc.array(fc.tuple(fc.boolean(), fc.string({ unit: 'grapheme', maxLength: 60 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 2, max: 400 }), (said, outputBytes) => {
        const spilled = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
        const collector = new OutputCollector({
          outputBytes,
          onSpill: (name, piece) => spilled[name].push(piece),
        });
        for (const [isErr, text] of said) collector.put(isErr ? err(text) : out(text));
        const { outputs, streamBytes, truncated } = collector.finish();
        for (const [name, isErr] of [
          ['stdout', false],
          ['stderr', true],
        ] as const) {
          const whole = said.flatMap(([isErrToo, text]) => (isErrToo === isErr ? [text] : [])).join('');
          const kept = outputs.flatMap((output) =>
            output.output_type === 'stream' && output.name === name ? [output.text] : [],
          );
          const own = kept.join('').replaceAll(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/g, '\0');
          expect(streamBytes[name]).toBe(Buffer.byteLength(whole));
          if (Buffer.byteLength(whole) <= outputBytes) {
            expect(own).toBe(whole);
            expect(spilled[name]).toEqual([]);
          } else {
            expect(truncated).toBe(true);
            expect(Buffer.byteLength(own.replaceAll('\0', ''))).toBeLessThanOrEqual(outputBytes + 1);
            expect(Buffer.concat(spilled[name]).toString()).toBe(whole);
            const parts = own.split('\0');
            expect(whole.startsWith(parts[0] ?? '')).toBe(true);
            expect(whole.endsWith(parts.at(-1) ?? '')).toBe(true);
          }
        }
      }),
    );
  });

  it('stays small in a flood of errors, and keeps the last', () => {
    const collector = new OutputCollector({ outputBytes: 1000, maxOutputs: 10 });
    for (let count = 1; count <= 1_000; count++)
      collector.put({ output_type: 'error', ename: 'E', evalue: String(count), traceback: [] });
    const { outputs, warnings } = collector.finish();
    expect(outputs).toHaveLength(11);
    expect(outputs.at(-1)).toMatchObject({ evalue: '1000' });
    expect(warnings).toEqual(['989 outputs of this cell were too many to keep']);
  });

  it('stays small in a flood of outputs, and never loses how the cell failed', () => {
    const collector = new OutputCollector({ outputBytes: 1000, maxOutputs: 10, maxRichChars: 100 });
    for (let n = 0; n < 10_000; n++) {
      for (const output of [out('a'), err('b'), shown('x')]) collector.put(output);
    }
    const error: Output = { output_type: 'error', ename: 'E', evalue: 'v', traceback: [] };
    collector.put(error);
    const { outputs, truncated, warnings, streamBytes } = collector.finish();
    expect(outputs.length).toBeLessThanOrEqual(12);
    expect(outputs.at(-1)).toEqual(error);
    expect(truncated).toBe(true);
    expect(warnings.join()).toMatch(/\d+ outputs of this cell were too many/);
    expect(streamBytes).toEqual({ stdout: 10_000, stderr: 10_000 });
  });
});
