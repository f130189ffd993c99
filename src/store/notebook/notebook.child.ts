/** Appends cells to the notebook that its argument names, for ever; says each one that is saved. */

import { printed, resultOf } from './notebook.fixture.ts';
import { Notebook } from './notebook.ts';

const [, , file = ''] = process.argv;
const notebook = new Notebook({
  file,
  clean: (value) => value,
  readArtifact: async () => Buffer.alloc(0),
});
for (let cell = 1; ; cell++) {
  const result = resultOf({
    executionCount: cell,
    outputs: [printed('x'.repeat(200 * (cell % 7)))],
    late: cell % 5 === 0 ? [{ executionCount: Math.ceil(cell / 2), output: printed('late') }] : [],
  });
  await notebook.append([{ kind: 'code', code: `f(${cell})`, result }]);
  process.stdout.write(`${cell}\n`);
}
