/** Longest name of one file or folder on Linux, and longest path taken, in bytes. */
const maxNameBytes = 255;
const maxPathBytes = 1024;
const maxDepth = 32;

/**
 * Why a path that sandboxed code chose, or that leads into a folder it wrote, is not used: it must be relative, plain,
 * printable and short. null where it is fine.
 */
export function resultPathProblem(path: string): string | null {
  const parts = path.split('/');
  if (path === '') return 'it is empty';
  if (path.startsWith('/')) return 'it is absolute';
  if (Buffer.byteLength(path) > maxPathBytes) return `it is longer than ${maxPathBytes} bytes`;
  if (parts.length > maxDepth) return `it is nested deeper than ${maxDepth} folders`;
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return 'it is not in its plain form';
  if (parts.some((part) => Buffer.byteLength(part) > maxNameBytes))
    return `a name is longer than ${maxNameBytes} bytes`;
  // Also U+FFFD, which stands for bytes that are no UTF-8, and marks that hide or reorder what a person reads.
  if (/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffd\\]/u.test(path))
    return 'it holds characters that cannot be shown safely';
  return null;
}
