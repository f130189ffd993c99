/** MIME types whose data stands in a bundle as a JSON value (nbformat 4.5, `misc.mimebundle`). */
export function isJsonType(mediaType: string): boolean {
  return /^application\/(?:.*\+)?json$/.test(mediaType);
}

/** MIME types whose data stands in a bundle in base64. */
export function isBinaryType(mediaType: string): boolean {
  if (/^(?:image|audio|video|font)\//.test(mediaType)) return mediaType !== 'image/svg+xml';
  return mediaType === 'application/pdf' || mediaType === 'application/octet-stream';
}

/** Data of a bundle as the bytes a file of that type has. */
export function bytesOfData(mediaType: string, value: unknown): Uint8Array {
  if (isJsonType(mediaType)) return Buffer.from(JSON.stringify(value) ?? 'null');
  const text = textOfData(value);
  // White space, which Jupyter allows in base64, is passed over.
  return isBinaryType(mediaType) ? Buffer.from(text, 'base64') : Buffer.from(text);
}

/** The bytes of a file as data of a bundle: what `bytesOfData` made them of. */
export function dataOfBytes(mediaType: string, bytes: Uint8Array): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isBinaryType(mediaType)) return buffer.toString('base64');
  const text = buffer.toString('utf8');
  if (!isJsonType(mediaType)) return text;
  try {
    return JSON.parse(text);
  } catch {
    // Scrubbed within a number or the like: still worth reading.
    return text;
  }
}

/** Text of a bundle: a string, the lines that older kernels send, or whatever else as JSON. */
export function textOfData(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value.join('');
  return JSON.stringify(value) ?? '';
}
