import path from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openJupyterKernel } from '../../src/kernel/index.ts';
import { dataOf, ran } from './checks.ts';
import { ipykernel6 } from './test-kernels.ts';

const strict = inject('holdsEveryLimit');

async function open(prefix: string) {
  const kernel = await openJupyterKernel({ env: { ...process.env, VIRTUAL_ENV: prefix }, strict });
  onTestFinished(() => kernel.close());
  return async (title: string) => {
    const { outputs, warnings } = await ran(
      kernel,
      `import matplotlib.pyplot as plt\nplt.title(${JSON.stringify(title)})\nplt.show()`,
    );
    const png = outputs.map((output) => dataOf(output)['image/png']).find((data) => data !== undefined);
    expect(png).toBeDefined();
    return { png, flags: warnings.filter((text) => text.includes('empty boxes')), kernel };
  };
}

it('draws Chinese and Japanese where a font for them is installed, whatever other fonts say of themselves', async () => {
  const draw = await open(ipykernel6());
  const [first, second] = [await draw('中文 東京 あ'), await draw('東京 中文 あ')];
  expect([...first.flags, ...second.flags]).toEqual([]);
  // Boxes would look alike.
  expect(first.png).not.toBe(second.png);
});

it('says which characters it cannot draw where the font in use has none of them', async () => {
  const draw = await open(path.resolve(import.meta.dirname, '../../.venv'));
  const { kernel } = await draw('a');
  await ran(kernel, 'plt.rcParams["font.family"] = "DejaVu Sans"');
  const [first, second] = [await draw('中文'), await draw('文中')];
  expect(first.flags).toEqual([expect.stringContaining('中文')]);
  // What the first test must not see: the same boxes.
  expect(first.png).toBe(second.png);
});
