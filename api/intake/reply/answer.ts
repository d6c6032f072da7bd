/** What a call comes to, before it is written as an HTTP reply. */
export type Answer =
  | { kind: 'quote'; body: object }
  | { kind: 'result'; id: string; chargedMicros: bigint; result: unknown; isReplay?: boolean }
  | { kind: 'ticket'; id: string; ceilingMicros: bigint; isReplay?: boolean }
  /** It was sent piece by piece. */
  | { kind: 'streamed' }
