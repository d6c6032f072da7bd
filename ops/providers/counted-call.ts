/** A call to a provider as the operator's statistics count it. */
export interface CountedCall {
  provider: string
  model: string
  isOk: boolean
  inputTokens: number
  outputTokens: number
  costMicros: number
}
