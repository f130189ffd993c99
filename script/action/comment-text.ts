import type { Result } from './result.ts';

/** Opens every comment, so that the next run finds it. */
export const mark = '<!-- assay fix -->';

/** GitHub takes 65,536 characters: the patch and each other text keep to their share. */
const patchChars = 45_000;
const textChars = 4_000;

/**
 * The comment of a result. Everything that comes from the project or a model stands in code, where it can neither
 * mention a person nor lay out the page.
 */
export function commentOf(result: Result, dir = '.'): string {
  const { status, error, tests, usage, warnings = [] } = result;
  const lines = [mark, `### assay: ${headline(result)}`, ''];
  const reason =
    error === undefined ? result.reason : [error.message, error.because].filter(Boolean).join(': ');
  if (reason) lines.push(fenced(cut(reason), ''), '');
  if (result.patch) lines.push(...patchLines(result.patch, { confirmed: status === 'done', dir }));
  if (result.motivation) lines.push('Why:', '', fenced(cut(result.motivation), ''), '');
  if (warnings.length > 0) lines.push('For a person to judge:', '', fenced(cut(warnings.join('\n')), ''), '');
  const fix = error?.fix ?? result.fix;
  if (fix) lines.push('What to do:', '', fenced(cut(fix), ''), '');
  const facts = [
    ...(tests ? [`${tests.passed} of ${tests.total} tests pass`] : []),
    ...(usage ? [`${(usage.wallMs / 1000).toFixed(0)} s`] : []),
    ...(usage && usage.tokens > 0 ? [`${usage.tokens} tokens`] : []),
    ...(usage && usage.tokens > 0 && usage.costUsd !== null ? [`$${usage.costUsd.toFixed(4)}`] : []),
  ];
  if (facts.length > 0) lines.push(`<sub>${facts.join(' · ')}</sub>`);
  return `${lines.join('\n').trimEnd()}\n`;
}

function headline({ status, patch }: Result): string {
  switch (status) {
    case 'done':
      return 'the tests pass with this patch, confirmed in a fresh sandbox';
    case 'already_green':
      return 'the tests pass as they are';
    default:
      return `${status.replaceAll('_', ' ')}${patch ? '; the best patch so far does not make everything pass' : ''}`;
  }
}

/** A patch is relative to the project, which need not be the root of the repository. */
function patchLines(patch: string, { confirmed, dir }: { confirmed: boolean; dir: string }): string[] {
  if (patch.length <= patchChars) {
    const below = dir === '.' ? '' : " in the project's folder (or with `--directory` from the root)";
    const how = confirmed
      ? ['', `Save it and run \`git apply\`${below}, or run \`assay fix --write\` in your checkout.`]
      : [];
    return [fenced(patch.trimEnd(), 'diff'), ...how, ''];
  }
  return ['The patch is too long for a comment; the step leaves it in its output `patch`.', ''];
}

const cut = (text: string): string =>
  text.length <= textChars
    ? text
    : `${text.slice(0, textChars)}\n[... ${text.length - textChars} more characters]`;

/** A block of code that its content cannot close. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
