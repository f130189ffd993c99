import type { Enforcement } from '../../core/index.ts';

/** One line that says what held the code that ran; the notes on what holds less are the business of `assay doctor`. */
export function enforcementLine(enforcement: Enforcement): string {
  if (enforcement.isolation === 'none') return 'nothing ran';
  const who =
    enforcement.isolation === 'host-uid' ? `own uid ${enforcement.hostUid ?? '?'}` : 'user namespace';
  const held = (['memory', 'pids', 'cpu', 'disk'] as const).map((limit) => `${limit} ${enforcement[limit]}`);
  const network = enforcement.network === 'none' ? 'no network' : 'network unknown';
  const filter = enforcement.seccomp ? 'seccomp' : 'NO seccomp';
  const notes = enforcement.notes.length;
  const more = notes === 0 ? [] : [`${notes} ${notes === 1 ? 'note' : 'notes'}: assay doctor`];
  return [network, who, filter, ...held, ...more].join(' · ');
}
