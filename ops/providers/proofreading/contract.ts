import type { CallLimits } from '../call-limits.ts'

export interface ProofreadingRequest {
  text: string
  /** What is no prose, such as code: from and to, in order. Nothing in it is found. */
  masked: readonly (readonly [start: number, end: number])[]
  /** BCP 47; undefined if the service is to find it. */
  language?: string | undefined
  level: 'spelling' | 'grammar' | 'style'
}

export interface FoundFault {
  /** In UTF-16 code units. */
  start: number
  end: number
  /** null if the service knows none. */
  replacement: string | null
  rule: string
  message: string
}

export interface Proofreader {
  readonly provider: string
  /** What it takes for a million characters, in USD. */
  readonly usdPerMillion: number
  readonly markupPct: number
  /** Throws PROVIDER_UNAVAILABLE or LANGUAGE_UNSUPPORTED. */
  check(request: ProofreadingRequest, limits: CallLimits): Promise<FoundFault[]>
}
