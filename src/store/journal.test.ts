import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AssayError } from '../core/index.ts';
import { type JournalDisk, JournalWriter, journalDisk } from './journal.ts';
import { encodeRecord, parseJournal } from './journal-format.ts';

const event = z.object({ n: z.number(), text: z.string().optional() });
const time = new Date('2026-11-30T18:22:33Z');
const line = (seq: number, n = seq) => encodeRecord({ v: 1, seq, time: time.toISOString(), event: { n } });

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'assay-journal-'));
  file = path.join(folder, 'journal.jsonl');
  writeFileSync(file, '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = () => parseJournal(readFileSync(file), event, file);
const numbers = () => read().records.map((record) => record.event.n);

function problem(content: string): AssayError {
  try {
    parseJournal(Buffer.from(content), event, 'journal.jsonl');
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('parseJournal', () => {
  it('reads nothing from nothing', () => {
    expect(parseJournal(Buffer.alloc(0), event, 'x')).toEqual({ records: [], goodBytes: 0, torn: false });
  });

  it('leaves out a last line without its newline, wherever it was cut', () => {
    const whole = line(1) + line(2);
    for (let cut = line(1).length + 1; cut < whole.length; cut += 1) {
      const parsed = parseJournal(Buffer.from(whole.slice(0, cut)), event, 'x');
      expect(parsed.records).toHaveLength(1);
      expect(parsed).toMatchObject({ goodBytes: line(1).length, torn: true });
    }
  });

  it('reads any prefix of a journal as a prefix of its records', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 });
    fc.assert(
      fc.property(texts, fc.nat(), (written, at) => {
        const records = written.map((text, index) => ({
          v: 1 as const,
          seq: index + 1,
          time: time.toISOString(),
          event: { n: index, text },
        }));
        const bytes = Buffer.from(records.map(encodeRecord).join(''));
        const parsed = parseJournal(bytes.subarray(0, at % (bytes.length + 1)), event, 'x');
        expect(parsed.records).toEqual(records.slice(0, parsed.records.length));
        expect(parseJournal(bytes, event, 'x').records).toEqual(records);
      }),
    );
  });

  it.each([
    ['a line that is no JSON', `${line(1)}{"v":1,\n${line(3)}`, 2, 'JSON'],
    ['a line of zeros', `${line(1)}\0\0\0\n`, 2, 'JSON'],
    ['an empty line', `${line(1)}\n${line(2)}`, 2, 'JSON'],
    ['no record', `${line(1)}{"seq":2}\n`, 2, 'no journal record'],
    ['a gap', line(1) + line(3), 2, 'skips ahead to sequence number 3'],
    ['a repeat', line(1) + line(2) + line(2), 3, 'repeats sequence number 2'],
    ['a wrong start', line(2), 1, 'skips ahead'],
    [
      'an unknown event',
      `${line(1)}${encodeRecord({ v: 1, seq: 2, time: time.toISOString(), event: { m: 1 } })}`,
      2,
      'not understood',
    ],
  ])('names the line of %s', (_, content, at, because) => {
    const error = problem(content);
    expect(error).toMatchObject({ code: 'input', message: `journal.jsonl line ${at} is corrupt` });
    expect(error.because).toContain(because);
  });

  it('says so when a newer assay wrote it', () => {
    expect(problem(line(1).replace('"v":1', '"v":2'))).toMatchObject({
      message: 'journal.jsonl line 1 is of journal version 2',
    });
  });

  it('reads 10,000 events well within a second', async () => {
    const writer = JournalWriter.open(file);
    for (let n = 1; n <= 10_000; n += 1)
      await writer.append({ n, text: 'x'.repeat(200) }, { time, sync: n % 1000 === 0 });
    writer.close();
    const started = performance.now();
    expect(read().records).toHaveLength(10_000);
    expect(performance.now() - started < 5000).toBe(true);
  });
});

describe('JournalWriter', () => {
  it('cuts a torn line away before it goes on', async () => {
    writeFileSync(file, line(1) + line(2).slice(0, 20));
    const writer = JournalWriter.open(file);
    await writer.append({ n: 7 }, { time, sync: true });
    writer.close();
    expect(readFileSync(file, 'utf8')).toBe(line(1) + line(2, 7));
  });

  it('will not write behind a corrupt line', () => {
    writeFileSync(file, `${line(1)}garbage\n`);
    expect(() => JournalWriter.open(file)).toThrow('line 2 is corrupt');
    expect(readFileSync(file, 'utf8')).toBe(`${line(1)}garbage\n`);
  });

  it('keeps the order of calls that are not awaited', async () => {
    const writer = JournalWriter.open(file);
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => writer.append({ n }, { time, sync: n % 7 === 0 })),
    );
    writer.close();
    expect(numbers()).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  /** A disk that takes `room` more bytes, then says it is full, as a real one does: after writing a part. */
  function fullAfter(room: { bytes: number }): JournalDisk {
    return {
      ...journalDisk,
      write: (fd, bytes) => {
        if (room.bytes <= 0)
          throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
        const written = journalDisk.write(fd, bytes.subarray(0, room.bytes));
        room.bytes -= written;
        return written;
      },
    };
  }

  it('takes back what a full disk cut, and goes on when there is room again', async () => {
    const room = { bytes: line(1).length + 10 };
    const writer = JournalWriter.open(file, fullAfter(room));
    await writer.append({ n: 1 }, { time, sync: true });
    const refused = writer.append({ n: 2 }, { time, sync: true });
    await expect(refused).rejects.toMatchObject({
      code: 'environment',
      fix: expect.stringContaining('Free space'),
    });
    expect(readFileSync(file, 'utf8')).toBe(line(1));
    room.bytes = 10_000;
    await writer.append({ n: 3 }, { time, sync: true });
    writer.close();
    expect(readFileSync(file, 'utf8')).toBe(line(1) + line(2, 3));
  });

  it('writes nothing more once a sync has failed: what is on the disk is unknown', async () => {
    let failing = false;
    const disk: JournalDisk = {
      ...journalDisk,
      sync: async (fd) => {
        if (failing) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
        await journalDisk.sync(fd);
      },
    };
    const writer = JournalWriter.open(file, disk);
    await writer.append({ n: 1 }, { time, sync: true });
    failing = true;
    await expect(writer.append({ n: 2 }, { time, sync: true })).rejects.toMatchObject({
      code: 'environment',
    });
    failing = false;
    const size = statSync(file).size;
    await expect(writer.append({ n: 3 }, { time, sync: false })).rejects.toThrow(
      'cannot be written any more',
    );
    await expect(writer.sync()).rejects.toThrow('cannot be written any more');
    writer.close();
    expect(statSync(file).size).toBe(size);
    expect(numbers()).toEqual([1, 2]);
  });

  it('finds the end again after others have damaged it, or refuses', () => {
    appendFileSync(file, line(1) + line(2));
    truncateSync(file, line(1).length + 5);
    const writer = JournalWriter.open(file);
    writer.close();
    expect(readFileSync(file, 'utf8')).toBe(line(1));
  });
});
