import { isOnlyMentioned } from './mentions.ts';

/** Endings of files that an analysis leaves behind; a name without one is no claim of a file. */
const endings =
  'png|jpe?g|svg|pdf|gif|webp|csv|tsv|xlsx?|jsonl?|parquet|feather|txt|html?|md|npy|npz|pkl|pickle|joblib|ipynb|tex|docx|pptx|zip|db|sqlite|h5|hdf5';

/** Code shown to the reader: the names in it are those of an example. One without a language may be a list of files. */
const codeBlock =
  /^ {0,3}(`{3,}|~{3,})[ \t]*(?!te?xt\b|plain)[A-Za-z][^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm;
const linkTarget =
  /!?\[[^\]\n]{0,500}\]\(\s{0,9}<?([^()\s>]+(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+"[^"\n]*")?\s*\)/g;
const address = /\b(?:[a-z][a-z0-9+-]{0,15}:\/\/|www\.)\S+/gi;
const inCode = `\`([^\`\\n*{}<>|()]{1,300}\\.(?:${endings}))\``;
/** A bare name: none that is part of a pattern (`fig_*.png`) or a placeholder (`{name}.csv`). */
const bareName = `(?<![\\p{L}\\p{N}_./*{}<>%$~-])((?:\\.{0,2}/)?[\\p{L}\\p{N}_][\\p{L}\\p{N}_./-]{0,300}\\.(?:${endings}))(?![\\p{L}\\p{N}_/*{}(-]|\\.[\\p{L}\\p{N}])`;
const named = new RegExp(`${inCode}|${bareName}`, 'giu');
const severalFiles = new RegExp(`(?<=\\.(?:${endings}))/(?=[^/]+\\.(?:${endings})$)`, 'iu');
/** A function of a library, such as a density, that is called like a file. */
const attribute = /^(?:(?:scipy|stats|np|numpy|torch|tfp)\.[\w.]+|norm|t|chi2|beta|gamma|expon)\.pdf$/;

/**
 * The files that a text says are there: targets of links and images, and names of files, each once. A name that is only
 * mentioned is no claim: of a file that is said not to be there, not to be written, or of code shown to the reader.
 */
export function claimedPaths(text: string): string[] {
  const claims: string[] = [];
  const rest = text
    .replace(codeBlock, '\n')
    .replace(linkTarget, (_, target: string) => {
      if (!isRemote(target)) claims.push(decoded(target.replace(/[#?].*$/, '')));
      return ' ';
    })
    .replace(address, ' ');
  for (const found of rest.matchAll(named)) {
    const name = (found[1] ?? found[2] ?? '').trim();
    if (
      attribute.test(name) ||
      isOnlyMentioned(rest, { from: found.index, to: found.index + found[0].length })
    )
      continue;
    claims.push(...name.split(severalFiles));
  }
  return [...new Set(claims.map(tidy))].filter((claim) => claim !== '');
}

/**
 * The claims that no file bears out. Only the end of a path must agree: a model may name the folder or leave it out, and
 * write a name with spaces as it stands.
 */
export function missingOf(claims: readonly string[], files: readonly string[]): string[] {
  const there = files.map((file) => file.normalize('NFC'));
  return claims.filter((claim) => !there.some((file) => endsAlike(file, claim.normalize('NFC'))));
}

const endsAlike = (file: string, claim: string): boolean =>
  file === claim || file.endsWith(`/${claim}`) || claim.endsWith(`/${file}`) || file.endsWith(` ${claim}`);

/** An address, or a place in this very text. */
const isRemote = (target: string): boolean => /^(?:[a-z][a-z0-9+.-]*:(?!\\)|\/\/|#)/i.test(target);

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

const tidy = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/\/{2,}/g, '/');
