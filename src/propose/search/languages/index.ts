import type { Language } from '../syntax/language.ts';
import { python } from './python.ts';

/** Every language the search speaks. A new one is one file here. */
export const languages: readonly Language[] = [python];

/** The language of a file by its name, or null. */
export function languageOf(path: string): Language | null {
  return languages.find((language) => language.extensions.some((end) => path.endsWith(end))) ?? null;
}
