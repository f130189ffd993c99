import { z } from 'zod';
import { openStore } from './store.ts';

/** Writes to a new run until it is killed: events, some synced and then acknowledged on stdout, or whole files. */
const [, , home = '', what = 'events'] = process.argv;
const event = z.object({ n: z.number(), text: z.string() });
const run = await openStore({ home, env: {} }).create({ kind: 'fix', spec: {}, event });
for (let n = 1; ; n += 1) {
  if (what === 'files') {
    await run.writeFile('report.txt', Array(10_000).fill(n).join());
    process.stdout.write(`${n}\n`);
  } else {
    const sync = n % 5 === 0;
    await run.append({ n, text: 'x'.repeat((n * 37) % 9000) }, { sync });
    if (sync) process.stdout.write(`${n}\n`);
  }
}
