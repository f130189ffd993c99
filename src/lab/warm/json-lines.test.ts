import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLines } from './json-lines.ts';

function pair() {
  const written: string[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      done();
    },
  });
  return { stream, written, lines: jsonLines(stream) };
}

describe('jsonLines', () => {
  it('gives back every message, however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { minLength: 1 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        async (messages, cuts) => {
          const { stream, lines } = pair();
          const bytes = Buffer.from(messages.map((each) => `${JSON.stringify(each)}\n`).join(''));
          for (let at = 0; at < bytes.length; ) {
            const size = cuts.next().value ?? 1;
            stream.push(bytes.subarray(at, at + size));
            at += size;
          }
          const got = [];
          for (const _ of messages) got.push(await lines.receive());
          expect(JSON.stringify(got)).toBe(JSON.stringify(messages));
        },
      ),
    );
  });

  it('answers null when the stream ends, also to those who wait', async () => {
    const { stream, lines } = pair();
    const waiting = lines.receive();
    stream.push(null);
    expect(await waiting).toBeNull();
    expect(await lines.receive()).toBeNull();
  });

  it('rejects a line that is no JSON, and goes on with the next', async () => {
    const { stream, lines } = pair();
    stream.push('nonsense\n{"a":1}\n');
    const first = lines.receive();
    await expect(first).rejects.toThrow('no JSON');
    expect(await lines.receive()).toEqual({ a: 1 });
  });

  it('writes one line per message', () => {
    const { written, lines } = pair();
    lines.send({ text: 'a\nb' });
    expect(written).toEqual(['{"text":"a\\nb"}\n']);
  });
});
