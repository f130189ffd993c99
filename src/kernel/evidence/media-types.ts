import { extname } from 'node:path/posix';

/** The MIME types that analyses give, with the extension of a file of it; of two, the first one's is used for names. */
const known: readonly (readonly [mediaType: string, extension: string])[] = [
  ['image/png', '.png'],
  ['image/jpeg', '.jpg'],
  ['image/jpeg', '.jpeg'],
  ['image/svg+xml', '.svg'],
  ['image/gif', '.gif'],
  ['image/webp', '.webp'],
  ['application/pdf', '.pdf'],
  ['text/html', '.html'],
  ['text/html', '.htm'],
  ['text/csv', '.csv'],
  ['text/tab-separated-values', '.tsv'],
  ['text/markdown', '.md'],
  ['text/latex', '.tex'],
  ['text/plain', '.txt'],
  ['text/plain', '.log'],
  ['text/x-python', '.py'],
  ['application/json', '.json'],
  ['application/x-ndjson', '.jsonl'],
  ['application/xml', '.xml'],
  ['application/vnd.apache.parquet', '.parquet'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', '.xlsx'],
  ['application/javascript', '.js'],
  ['application/zip', '.zip'],
  ['application/gzip', '.gz'],
];

/** By the end of the name; `application/octet-stream` where that says nothing. */
export function mediaTypeOf(path: string): string {
  const extension = extname(path).toLowerCase();
  return known.find(([, known]) => known === extension)?.[0] ?? 'application/octet-stream';
}

/** With its dot; `.json` for the many JSON types, `.bin` for what is not known. */
export function extensionOf(mediaType: string): string {
  const found = known.find(([known]) => known === mediaType);
  if (found !== undefined) return found[1];
  if (mediaType.endsWith('+json')) return '.json';
  return mediaType.startsWith('text/') ? '.txt' : '.bin';
}
