/** `read-result.ts RESULT PATCH`: prints the status and writes the patch, or an empty file, to PATCH. */
import { writeFileSync } from 'node:fs';
import { readResult } from './result.ts';

const [file = '', patch = ''] = process.argv.slice(2);
const result = readResult(file);
writeFileSync(patch, result.patch ?? '');
process.stdout.write(result.status);
