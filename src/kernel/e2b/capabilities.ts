/** What a Python kernel at E2B can do of what the conformance suite asks. */
export const e2bCapabilities = {
  /** By the bridge. */
  metadata: true,
  updates: true,
  interrupts: true,
  links: true,
  /** The service drops what a thread puts out after its cell has ended. */
  late: false,
  /** It tells only that the interpreter was started anew. */
  deathCause: false,
  /** The template decides. */
  memory: false,
  /** A restart ends the interpreter alone. */
  killsAll: false,
} as const;
