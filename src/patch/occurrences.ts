/**
 * Every position, overlapping ones included, where `want` stands in `have`: both texts or both lists of lines.
 * Knuth, Morris and Pratt 1977: time grows with the sum of both lengths, whatever they are made of.
 */
export function occurrencesOf(have: ArrayLike<string>, want: ArrayLike<string>): number[] {
  if (want.length === 0) return [];
  const borders = bordersOf(want);
  const found: number[] = [];
  let matched = 0;
  for (let at = 0; at < have.length; at += 1) {
    while (matched > 0 && have[at] !== want[matched]) matched = borders[matched - 1] ?? 0;
    if (have[at] === want[matched]) matched += 1;
    if (matched < want.length) continue;
    found.push(at - want.length + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return found;
}

/** For each prefix, the length of the longest shorter prefix that it also ends with. */
function bordersOf(want: ArrayLike<string>): number[] {
  const borders = [0];
  let length = 0;
  for (let at = 1; at < want.length; at += 1) {
    while (length > 0 && want[at] !== want[length]) length = borders[length - 1] ?? 0;
    if (want[at] === want[length]) length += 1;
    borders.push(length);
  }
  return borders;
}
