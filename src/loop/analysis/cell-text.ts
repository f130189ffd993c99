import type { CellEnd, Output, Variable } from '../../core/index.ts';
import { describeFigure } from '../../kernel/index.ts';
import type { Fence } from '../../propose/index.ts';
import { headAndTail } from '../excerpt.ts';
import { bytesText, lineOf, plain, variableText } from './listings.ts';
import type { RanCell } from './state.ts';

export type CellTextOptions = {
  fence: Fence;
  /** Of the outputs together. */
  maxChars: number;
};

/** What a cell gave, as its tool call is answered: the end in words, outputs in fences, what it changed. */
export function cellText(ran: RanCell, { fence, maxChars }: CellTextOptions): string {
  const { cell, result, evidence } = ran;
  const earlier = (result.late ?? []).map(({ output }) => {
    const { label, text } = outputOf(output);
    return { label: `${label}, of an earlier cell`, text };
  });
  const outputs = [...earlier, ...result.outputs.map(outputOf)].filter(({ text }) => text !== '');
  const share = Math.max(200, Math.floor(maxChars / Math.max(1, Math.min(outputs.length, 20))));
  let room = maxChars;
  const blocks = outputs.flatMap(({ label, text }) => {
    if (room < 200) return [];
    const shown = clip(text, Math.min(room, Math.max(share, room - share * (outputs.length - 1))));
    room -= shown.length;
    return [fence.block(label, shown)];
  });
  const left = outputs.length - blocks.length;
  return [
    `Cell ${cell} ${endText(result.end, ran.cut)}.`,
    ...blocks,
    ...(left === 0 ? [] : [`${left} further outputs are left out here.`]),
    ...cutText(ran),
    ...evidence.figures
      .slice(0, 6)
      .map((figure) => fence.block('figure in words', lineOf(describeFigure(figure), 1200))),
    ...changesText(ran, fence),
    ...[...result.warnings, ...evidence.warnings].slice(0, 8).map((text) => `Warning: ${lineOf(text, 300)}`),
  ].join('\n');
}

/** One line of a cell that is told in short. */
export function cellLine({ cell, code, result, cut }: RanCell): string {
  const first = code.split('\n').find((line) => line.trim() !== '' && !line.trim().startsWith('#')) ?? code;
  const said = result.outputs
    .map((output) => outputOf(output).text.trimEnd())
    .findLast((text) => text !== '');
  const last = said?.split('\n').findLast((line) => line.trim() !== '') ?? '';
  const arrow = last === '' ? '' : ` -> ${lineOf(last, 120)}`;
  return `cell ${cell} ${lineOf(endText(result.end, cut), 100)}: ${lineOf(first, 100)}${arrow}`;
}

/** How a cell ended, in words that fit after its number. */
export function endText(end: CellEnd, cut: boolean): string {
  if (cut)
    return 'was cut while it ran, for assay was killed: nobody knows what it gave, and its state is lost';
  const lost =
    'stateLost' in end && end.stateLost ? '; the kernel had to be started anew: all variables are gone' : '';
  switch (end.status) {
    case 'ok':
      return 'ran';
    case 'error':
      return `failed with ${lineOf(`${end.ename}: ${end.evalue}`, 400)}`;
    case 'timeout':
      return `was stopped after ${Math.round(end.deadlineMs / 1000)} s, the limit of a cell${lost}`;
    case 'interrupted':
      return `was interrupted by the user${lost}`;
    case 'died':
      return `ended the kernel's process (${end.cause}: ${lineOf(end.detail, 300)}); all variables are gone`;
    case 'aborted':
      return 'was not run by the kernel; send it again';
    case 'unavailable':
      return `could not be run: ${lineOf(end.detail, 300)}`;
  }
}

export const clip = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : headAndTail(text, Math.max(0, maxChars - 60));

function outputOf(output: Output): { label: string; text: string } {
  switch (output.output_type) {
    case 'stream':
      return { label: output.name, text: plain(output.text) };
    case 'error':
      return { label: 'traceback', text: plain(output.traceback.join('\n')) };
    case 'display_data':
    case 'execute_result': {
      const { data } = output;
      const told = ['text/plain', 'text/markdown', 'text/latex', 'text/html']
        .map((kind) => data[kind])
        .find((value) => typeof value === 'string');
      const image = Object.keys(data).find((kind) => kind.startsWith('image/'));
      const shown = image === undefined ? '' : `[${image}] `;
      const label = output.output_type === 'execute_result' ? 'value' : 'shown';
      return { label, text: plain(`${shown}${typeof told === 'string' ? told : ''}`) };
    }
  }
}

/** Where the whole of what is cut can be read. */
function cutText({ artifacts, result }: RanCell): string[] {
  const whole = artifacts.filter(({ source }) => source.kind === 'stream');
  if (whole.length === 0 && !result.truncated) return [];
  const names = whole.map(({ name, bytes }) => `artifact:${name} (${bytesText(bytes)})`);
  const where = names.length === 0 ? '' : ` What is kept of it: read_file ${names.join(', ')}.`;
  return [`The output is cut here.${where} Print less: a summary, a head, a count.`];
}

const mostNamed = 20;

function changesText({ evidence, result }: RanCell, fence: Fence): string[] {
  const { created, changed, deleted } = evidence.files;
  const { variables } = evidence;
  const named = (files: readonly { path: string; bytes: number }[]) =>
    files.map(({ path, bytes }) => `${path} (${bytesText(bytes)})`);
  const of = (list: readonly Variable[]) => list.map(variableText);
  const lines = [
    ...listed('file created', named(created)),
    ...listed('file changed', named(changed)),
    ...listed(
      'file deleted',
      deleted.map(({ path }) => path),
    ),
    ...(result.end.status === 'died' ? [] : listed('variable new', of(variables?.created ?? []))),
    ...(result.end.status === 'died' ? [] : listed('variable changed', of(variables?.changed ?? []))),
    ...listed('variable deleted', variables?.deleted ?? []),
  ];
  return lines.length === 0 ? [] : [fence.block('changes', lines.join('\n'))];
}

function listed(what: string, items: readonly string[]): string[] {
  const shown = items.slice(0, mostNamed).map((item) => `${what}: ${lineOf(item, 200)}`);
  return items.length <= mostNamed ? shown : [...shown, `and ${items.length - mostNamed} more: ${what}`];
}
