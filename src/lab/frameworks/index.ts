import type { FrameworkId } from '../types.ts';
import type { Framework } from './framework.ts';
import { nodeTest } from './node-test.ts';
import { pytest } from './pytest.ts';
import { unittest } from './unittest.ts';

/** Every framework the lab can judge, in order of preference where a project could be several. A new one is one file in this folder and one line here. */
export const frameworks: Readonly<Partial<Record<FrameworkId, Framework>>> = {
  pytest,
  unittest,
  'node-test': nodeTest,
};
