import { setTimeout as sleep } from 'node:timers/promises';
import { analysisEventSchema } from '../../core/index.ts';
import { fakeKernel } from '../../kernel/index.ts';
import { scriptedModel } from '../../propose/index.ts';
import { openStore } from '../../store/index.ts';
import { byCode } from './analysis.fixture.ts';
import { crashReplies, crashSpec } from './crash.scene.ts';
import { fileEvidence } from './evidence-port.ts';
import { runAnalysis } from './run.ts';

/** The process that crash.test.ts kills: one analysis in the store argv[2]; its id goes to stdout. */
const store = openStore({ home: process.argv[2] ?? '', env: {} });
const run = await store.create({ kind: 'solve', spec: crashSpec, event: analysisEventSchema });
process.stdout.write(`${run.id}\n`);
const model = scriptedModel({ replies: crashReplies });
await runAnalysis({
  run,
  spec: crashSpec,
  modelOf: () => ({ ...model, call: (...of) => sleep(10).then(() => model.call(...of)) }),
  openKernel: async () => fakeKernel({ replies: (code) => ({ ...byCode(code), until: sleep(10) }) }),
  evidenceOf: fileEvidence,
  signal: new AbortController().signal,
});
run.close();
