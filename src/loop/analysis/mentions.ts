/** Characters that are looked at on either side of a name. */
const reach = 160;

/** Where one statement ends and the next begins; a dot inside a name or a number is none. */
const border = /[;:!?\n—–()]|\.(?=\s|$)|,(?=\s)|\b(?:but|and|whereas|while|see)\b/giu;

/** What is done with files. */
const verb =
  '(?:writ\\w+|wrote|sav(?:e|ed|ing)|creat\\w+|produc\\w+|generat\\w+|mak(?:e|ing)|made|export\\w*|stor(?:e|ed|ing)|find|found|open\\w*|read|load\\w*|draw\\w*|plot\\w*|us(?:e|ed|ing)|includ\\w+|attach\\w*)';
/** Words between a denial and the name. */
const filler =
  '(?:(?:such|files?|tables?|figures?|plots?|an?|any|the|called|named|to|in|into|as|of|it)\\s+){0,4}[`"\'“‘]*$';

/** Before a name in the same statement: `could not write x.csv`, `no such file as x.csv`, `I deleted x.csv`. */
const deniedBefore = new RegExp(
  `(?:\\b(?:not|never|cannot|unable to|fail(?:s|ed)? to|would|could|should|might|(?:I|we) can|want(?:s|ed)? to)|n[’']t)\\s+(?:\\S+\\s+){0,2}?${verb}\\s+(?:\\S+\\s+){0,2}?${filler}` +
    `|\\b(?:no|not|nor|neither|without|instead of|rather than|if|missing|absent|deleted?|removed?|discarded)\\s+${filler}`,
  'iu',
);

/** After it: `x.csv does not exist`, `x.csv is missing`, `x.csv could not be read`, `x.csv would be next`. */
const deniedAfter =
  /^[^\s\p{L}\p{N}]*\s+(?:(?:(?:is|was|are|were|does|did|do|has|had|have|could|can|will)\s*)?(?:\w+ly\s+)?(?:\b(?:not|never)|(?:n[’']t))\s+(?:\w+\s+){0,2}?(?:there|exist\w*|given|writ\w+|saved|created|produced|generated|made|exported|stored|kept|found|present|available|provided|read|opened|loaded|used|included|needed|attached|part|among)|(?:is|was|are|were)\s+(?:\w+\s+)?(?:missing|absent|unavailable|deleted|removed|discarded)|would)\b|^[^\s\p{L}\p{N}]*\s+\((?:not \w+|missing|deleted|removed)\)/iu;

/** How the model is asked to say it where its words, in whatever language, are not understood. */
const saidPlainly = /\bnot made:\s*[`"']*$/i;

/**
 * Whether the file named in `text` between `from` and `to` is only mentioned: denied, or spoken of as what might be. In
 * doubt a name is a claim of a file that is there, which then is looked for.
 */
export function isOnlyMentioned(text: string, { from, to }: { from: number; to: number }): boolean {
  const before = text.slice(Math.max(0, from - reach), from);
  const after = text.slice(to, to + reach);
  const begins = [...before.matchAll(border)].at(-1);
  const begin = begins === undefined ? 0 : begins.index + begins[0].length;
  const end = after.search(border);
  return (
    saidPlainly.test(before) ||
    deniedBefore.test(before.slice(begin)) ||
    deniedAfter.test(end < 0 || /^[^\s\w]*\s+\(/.test(after) ? after : after.slice(0, end))
  );
}
