import * as fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { labFixture } from '../lab.fixture.ts';

const { write, open } = labFixture();

it('warns of sources that are no UTF-8, and of nothing else', async () => {
  const dir = write({ 'test_a.py': 'def test_a(): pass\n', 'good.py': 'name = "café"\n' });
  const latin = Buffer.from('# -*- coding: latin-1 -*-\nname = "caf\xe9"\n', 'latin1');
  for (const file of ['latin.py', 'logo.png']) fs.writeFileSync(path.join(dir, file), latin);
  expect((await open(dir)).warnings).toEqual([expect.stringMatching(/^latin\.py is not UTF-8: .*left out/)]);
});
