import type { CellArtifact, CellResult, Output } from '../../core/index.ts';

/** A result that went well, with what the test is about. */
export function resultOf(result: Partial<CellResult> = {}): CellResult {
  return {
    end: { status: 'ok' },
    executionCount: 1,
    outputs: [],
    streamBytes: { stdout: 0, stderr: 0 },
    truncated: false,
    durationMs: 1,
    warnings: [],
    ...result,
  };
}

export function printed(text: string): Output {
  return { output_type: 'stream', name: 'stdout', text };
}

export function shown(data: Record<string, unknown>, displayId?: string): Output {
  return {
    output_type: 'display_data',
    data,
    metadata: {},
    ...(displayId === undefined ? {} : { displayId }),
  };
}

export function artifactOf(sha256: string, of: Partial<CellArtifact> = {}): CellArtifact {
  return {
    sha256,
    name: 'cell-1.png',
    mediaType: 'image/png',
    bytes: 3,
    source: { kind: 'output', output: 0, mediaType: 'image/png' },
    ...of,
  };
}
