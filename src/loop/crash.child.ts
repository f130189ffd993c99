import { setTimeout as sleep } from 'node:timers/promises';
import { repairEventSchema } from '../core/index.ts';
import { scriptedProposer } from '../propose/index.ts';
import { openStore } from '../store/index.ts';
import { crashLab, crashReplies, crashSpec } from './crash.scene.ts';
import { runRepair } from './run-repair.ts';

/** The process that crash.test.ts kills: one repair in the store argv[2]; its id goes to stdout. */
const store = openStore({ home: process.argv[2] ?? '', env: {} });
const run = await store.create({ kind: 'fix', spec: crashSpec, event: repairEventSchema });
process.stdout.write(`${run.id}\n`);
await runRepair({
  run,
  spec: crashSpec,
  proposers: [scriptedProposer({ replies: crashReplies })],
  lab: crashLab({ before: () => sleep(15) }),
  signal: new AbortController().signal,
});
run.close();
