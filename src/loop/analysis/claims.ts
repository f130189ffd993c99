/** Endings of files that an analysis leaves behind; a name without one is no claim of a file. */
const endings =
  'png|jpe?g|svg|pdf|gif|webp|csv|tsv|xlsx?|jsonl?|parquet|feather|txt|html?|md|npy|npz|pkl|pickle|joblib|ipynb|tex|docx|pptx|zip|db|sqlite|h5|hdf5';

const linkTarget =
  /!?\[[^\]\n]{0,500}\]\(\s{0,9}<?([^()\s>]+(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+"[^"\n]*")?\s*\)/g;
const inCode = new RegExp(`\`([^\`\\n*{}<>|]{1,300}\\.(?:${endings}))\``, 'gi');
/** A bare name: none that is part of a pattern (`fig_*.png`) or a placeholder (`{name}.csv`). */
const bareName = new RegExp(
  `(?<![\\p{L}\\p{N}_./*{}<>%$~-])([\\p{L}\\p{N}_][\\p{L}\\p{N}_./-]{0,300}\\.(?:${endings}))(?![\\p{L}\\p{N}_/*{}(-]|\\.[\\p{L}\\p{N}])`,
  'giu',
);

/** The files that a text names as results: targets of links and images, and names of files, each once. */
export function claimedPaths(text: string): string[] {
  const claims: string[] = [];
  let rest = text.replace(linkTarget, (_, target: string) => {
    if (!isRemote(target)) claims.push(decoded(target.replace(/[#?].*$/, '')));
    return ' ';
  });
  rest = rest.replace(/\b[a-z][a-z0-9+-]{0,15}:\/\/\S+/gi, ' ');
  rest = rest.replace(inCode, (_, name: string) => {
    claims.push(name.trim());
    return ' ';
  });
  for (const [, name] of rest.matchAll(bareName)) if (name !== undefined) claims.push(name);
  return [...new Set(claims.map(tidy))].filter((claim) => claim !== '');
}

/** The claims that no file bears out. Only the end of a path must agree: a model may name the folder or leave it out. */
export function missingOf(claims: readonly string[], files: readonly string[]): string[] {
  return claims.filter((claim) => !files.some((file) => endsAlike(file, claim)));
}

const endsAlike = (file: string, claim: string): boolean =>
  file === claim || file.endsWith(`/${claim}`) || claim.endsWith(`/${file}`);

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
