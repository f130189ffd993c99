import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createSandbox, resolveToolchain } from '../../sandbox/index.ts';
import { FontCache, matplotlibSettings } from './matplotlib.ts';

/** An environment whose `matplotlib` only writes down a list of fonts. */
function environment(): { prefix: string; fonts: string } {
  const prefix = mkdtempSync(join(tmpdir(), 'assay-matplotlib-'));
  onTestFinished(() => rmSync(prefix, { recursive: true }));
  chmodSync(prefix, 0o755);
  const packages = join(prefix, 'lib/python3/site-packages');
  const fonts = join(packages, 'matplotlib/mpl-data/fonts/ttf');
  for (const folder of [
    join(fonts, 'below'),
    join(packages, 'matplotlib-3.9.0.dist-info'),
    join(prefix, 'bin'),
  ])
    mkdirSync(folder, { recursive: true });
  const script =
    '#!/bin/sh\ntest -e "$MPLCONFIGDIR/matplotlibrc" && echo "{}" >"$MPLCONFIGDIR/fontlist-v1.json"\n';
  writeFileSync(join(prefix, 'bin/python'), script, { mode: 0o755 });
  return { prefix, fonts };
}

it('keeps the list of fonts for the next kernels, until one is installed in whatever folder', async () => {
  const { prefix, fonts } = environment();
  const env = { XDG_CACHE_HOME: join(prefix, 'cache'), PATH: process.env.PATH ?? '' };
  const toolchain = await resolveToolchain({ program: join(prefix, 'bin/python'), cwd: prefix, env });
  const sandbox = createSandbox();
  onTestFinished(() => sandbox.close());
  const { signal } = new AbortController();
  expect(new FontCache({ toolchain, env }).read()).toBeNull();
  await new FontCache({ toolchain, env }).make({
    ...{ sandbox, toolchain, signal },
    strict: inject('holdsEveryLimit'),
  });
  expect(Object.keys(new FontCache({ toolchain, env }).read() ?? {})).toEqual(['fontlist-v1.json']);
  writeFileSync(join(fonts, 'below/New.ttf'), '');
  expect(new FontCache({ toolchain, env }).read()).toBeNull();
});

it('has settings also where no font for Chinese, Japanese and Korean is found', () => {
  const { prefix } = environment();
  expect(matplotlibSettings({ program: join(prefix, 'bin/python') })).toMatchObject({
    matplotlibrc: expect.stringContaining('font.family: DejaVu Sans'),
  });
});
