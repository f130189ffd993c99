import { type EvidenceOf, fileEvidence } from '../loop/index.ts';

export const evidenceOf: EvidenceOf = fileEvidence;
