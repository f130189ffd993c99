import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';

export const root = path.resolve(import.meta.dirname, '../..');

type Step = {
  name: string;
  id?: string;
  if?: string;
  shell: string;
  env?: Record<string, string>;
  run: string;
};
type Action = {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
};

export type Ran = { name: string; code: number | null; stdout: string; stderr: string };
export type Job = { steps: Ran[]; outputs: Record<string, string> };

/**
 * Does what a GitHub runner does with a composite action, as far as action.yml needs it: its steps in order, their
 * conditions, environments and outputs. A step that fails ends the job.
 * @param options.context what `github.` stands for in expressions, by dotted name
 */
export async function runAction(options: {
  inputs: Record<string, string>;
  context: Record<string, string>;
  /** Variables of the machine, GITHUB_* among them. */
  env: Record<string, string>;
  temp: string;
}): Promise<Job> {
  const action = parse(readFileSync(path.join(root, 'action.yml'), 'utf8')) as Action;
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(options.context)) values.set(`github.${name}`, value);
  for (const [name, { default: fallback = '' }] of Object.entries(action.inputs))
    values.set(`inputs.${name}`, options.inputs[name] ?? expand(fallback, values));
  mkdirSync(options.temp, { recursive: true });
  const steps: Ran[] = [];
  for (const [index, step] of action.runs.steps.entries()) {
    if (step.if !== undefined && !holds(step.if, values)) continue;
    const output = path.join(options.temp, `output-${index}`);
    writeFileSync(output, '');
    const own = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, value]) => [name, expand(value, values)]),
    );
    const env = {
      ...options.env,
      ...own,
      GITHUB_ACTION_PATH: root,
      GITHUB_OUTPUT: output,
      RUNNER_TEMP: options.temp,
    };
    const ran = { name: step.name, ...(await bash(expand(step.run, values), env)) };
    steps.push(ran);
    for (const line of readFileSync(output, 'utf8').split('\n').filter(Boolean)) {
      const at = line.indexOf('=');
      values.set(`steps.${step.id}.outputs.${line.slice(0, at)}`, line.slice(at + 1));
    }
    if (ran.code !== 0) break;
  }
  const outputs = Object.fromEntries(
    Object.entries(action.outputs).map(([name, { value }]) => [name, expand(value, values)]),
  );
  return { steps, outputs };
}

const expand = (template: string, values: ReadonlyMap<string, string>): string =>
  template.replace(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_, name: string) => values.get(name) ?? '');

/** `a == 'x' && b`, as the action uses it. */
function holds(condition: string, values: ReadonlyMap<string, string>): boolean {
  const inner = /^\$\{\{(.*)\}\}$/s.exec(condition.trim())?.[1] ?? condition;
  return inner.split('&&').every((part) => {
    const [name = '', wanted] = part.split('==').map((side) => side.trim());
    const value = values.get(name) ?? '';
    return wanted === undefined ? value !== '' : value === wanted.replace(/^'|'$/g, '');
  });
}

/** As the runner starts `shell: bash`. */
async function bash(script: string, env: Record<string, string>): Promise<Omit<Ran, 'name'>> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { code, stdout, stderr };
}
