/**
 * Checks the floors with dependency-cruiser, then checks the checker: a planted violation must be caught and
 * the house must not be empty (a cruise that reads 0 modules passes everything).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import config from './floors.config.ts';

type Cruised = { summary: { totalCruised: number; violations: Violation[] } };
type Violation = { rule: { name: string; severity: string }; from: string; to: string };

const root = path.resolve(import.meta.dirname, '..');

async function violationsIn(directory: string): Promise<Cruised['summary']> {
  const result = await cruise(
    [directory],
    { ruleSet: { forbidden: config.forbidden }, ...config.options, baseDir: root, validate: true } as never,
    {},
    { tsConfig: extractTSConfig(path.join(root, 'tsconfig.json')) } as never,
  );
  return (result.output as Cruised).summary;
}

/** Plants one upward import and one import past a door; returns the names of the rules that caught them. */
async function plant(): Promise<string[]> {
  const planted = mkdtempSync(path.join(root, 'coverage-floors-'));
  try {
    const write = (file: string, text: string) => {
      mkdirSync(path.dirname(path.join(planted, file)), { recursive: true });
      writeFileSync(path.join(planted, file), text);
    };
    write('src/loop/index.ts', 'export const loop = 1;\n');
    write('src/core/index.ts', "import { loop } from '../loop/index.ts';\nexport const core = loop;\n");
    write('src/patch/inner.ts', 'export const inner = 1;\n');
    write('src/store/index.ts', "import { inner } from '../patch/inner.ts';\nexport const store = inner;\n");
    write('src/sandbox/index.ts', "import { inner } from '../patch/index.ts';\nexport const s = inner;\n");
    write('src/patch/index.ts', "export { inner } from './inner.ts';\n");
    const { violations } = await violationsIn(path.relative(root, planted));
    return violations.map((violation) => violation.rule.name);
  } finally {
    rmSync(planted, { recursive: true, force: true });
  }
}

const caught = await plant();
const missed = ['floor-0-core', 'through-the-door', 'floor-1-sandbox'].filter(
  (name) => !caught.includes(name),
);
const { totalCruised, violations } = await violationsIn('src');
for (const { rule, from, to } of violations) process.stderr.write(`${rule.name}: ${from} -> ${to}\n`);
if (missed.length > 0) process.stderr.write(`planted violations not caught: ${missed.join(', ')}\n`);
if (totalCruised === 0) process.stderr.write('no module was read: the check proves nothing\n');
if (violations.length > 0 || missed.length > 0 || totalCruised === 0) process.exit(1);
process.stdout.write(
  `floors: ${totalCruised} modules, no violation; planted ones caught: ${caught.join(', ')}\n`,
);
