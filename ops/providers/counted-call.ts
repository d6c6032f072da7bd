/** A call to a provider as the operator's statistics count it. */
export interface CountedCall {
  provider: string
  model: string
  isOk: boolean
  inputTokens: number
  outputTokens: number
  costMicros: number
}

interface CharacterCall {
  provider: string
  model: string
  characters: number
  /** What the provider takes for a million of them, in USD. */
  usdPerMillion: number
  signal: AbortSignal
  onCall: ((call: CountedCall) => void) | undefined
}

/** Asks a provider that takes money by characters, and counts that. What the caller has given up is not counted. */
export async function askByCharacters<Answer>(
  { provider, model, characters, usdPerMillion, signal, onCall }: CharacterCall,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const count = (isOk: boolean, costMicros: number) =>
    onCall?.({ provider, model, isOk, inputTokens: 0, outputTokens: 0, costMicros })
  try {
    const answer = await ask()
    count(true, Math.ceil(characters * usdPerMillion))
    return answer
  } catch (error) {
    if (!signal.aborted) count(false, 0)
    throw error
  }
}
