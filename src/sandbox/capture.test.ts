import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Capture } from './capture.ts';

function capture(maxBytes: number, chunks: Uint8Array[]) {
  const made = new Capture({ maxBytes });
  for (const chunk of chunks) made.push(chunk);
  return made.captured();
}

describe('Capture', () => {
  it('keeps everything that fits', () => {
    expect(capture(10, [Buffer.from('hello'), Buffer.from('world')])).toEqual({
      head: 'helloworld',
      tail: '',
      totalBytes: 10,
      truncated: false,
    });
  });

  it('keeps the first and the last bytes of what does not', () => {
    expect(capture(6, [Buffer.from('abcdefghij')])).toEqual({
      head: 'abc',
      tail: 'hij',
      totalBytes: 10,
      truncated: true,
    });
  });

  it('is the beginning and the end of the whole, however it was cut', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 200 }), (parts, maxBytes) => {
        // ASCII, so that bytes and characters are the same.
        const ascii = parts.map((part) => part.map((byte) => 97 + (byte % 26)));
        const whole = Buffer.concat(ascii).toString();
        const { head, tail, totalBytes, truncated } = capture(maxBytes, ascii);
        expect(totalBytes).toBe(whole.length);
        expect(truncated).toBe(whole.length > maxBytes);
        if (!truncated) expect(head + tail).toBe(whole);
        if (truncated) {
          expect(head.length + tail.length).toBe(maxBytes);
          expect(whole.startsWith(head)).toBe(true);
          expect(whole.endsWith(tail)).toBe(true);
        }
      }),
    );
  });

  it('never shows half a character at the cut', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 20, maxLength: 200 });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 8, max: 40 }),
        fc.integer({ min: 1, max: 7 }),
        (whole, maxBytes, size) => {
          const bytes = Buffer.from(whole);
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.subarray(index * size, (index + 1) * size),
          );
          const { head, tail } = capture(maxBytes, chunks);
          const clean = bytes.toString();
          expect(clean.startsWith(head)).toBe(true);
          expect(clean.endsWith(tail)).toBe(true);
        },
      ),
    );
  });

  it('shows bytes that are no UTF-8 as U+FFFD', () => {
    expect(capture(100, [Uint8Array.from([0xff, 0x61, 0xc3])]).head).toBe('\ufffda\ufffd');
  });

  it('stays small however much comes in however small pieces', () => {
    const made = new Capture({ maxBytes: 1000 });
    const before = process.memoryUsage().arrayBuffers;
    const piece = Buffer.alloc(7, 'x');
    for (let turn = 0; turn < 1_000_000; turn++) made.push(piece);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    expect(made.captured().totalBytes).toBe(7_000_000);
  });
});
