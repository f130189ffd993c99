import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { AssayError } from '../core/index.ts';
import { openStore } from './store.ts';

/** Fills the file system under argv[2] with a run and tells on stdout what the store said and left behind. */
const [, , home = ''] = process.argv;
const event = z.object({ n: z.number(), text: z.string() });

async function refusalOf(action: () => Promise<unknown>): Promise<AssayError> {
  for (;;) {
    try {
      await action();
    } catch (error) {
      if (AssayError.is(error)) return error;
      throw error;
    }
  }
}

const store = openStore({ home, env: {} });
const ballast = path.join(home, 'ballast');
let n = 0;
try {
  const run = await store.create({ kind: 'fix', spec: {}, event });
  writeFileSync(ballast, Buffer.alloc(100_000));
  const refused = await refusalOf(() => {
    n += 1;
    return run.append({ n, text: 'x'.repeat(3000) }, { sync: true });
  });
  const artifact = await refusalOf(() =>
    run.artifact(Buffer.alloc(50_000, n), { name: 'x', mediaType: 'application/octet-stream' }),
  );
  const whole = readFileSync(path.join(run.dir, 'journal.jsonl'), 'utf8').endsWith('\n');
  const events = run.events().length;
  rmSync(ballast);
  await run.append({ n, text: 'x'.repeat(3000) }, { sync: true });
  run.close();
  const after = store.open('latest', { event }).events().length;
  const { code, fix } = refused;
  process.stdout.write(JSON.stringify({ code, fix, whole, events, after, artifact: artifact.code }));
} catch (error) {
  if (!AssayError.is(error)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, fix: error.fix }));
}
