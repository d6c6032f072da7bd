import { Problem } from '#kit'
import { seal, unseal } from '../../../ops/secrets.ts'

/** What the address of a result names. It is encrypted, so that nobody can make or guess one. */
export interface TrialResult {
  jobId: string
  /** Of the operation that was tried. */
  name: string
  inputKey: string | undefined
  values: Readonly<Record<string, string>>
}

const PURPOSE = 'trial result'

export function sealResult(secret: string, result: TrialResult): string {
  return seal(secret, JSON.stringify(result), PURPOSE)
}

export function openResult(secret: string, token: string): TrialResult {
  try {
    return JSON.parse(unseal(secret, token, PURPOSE)) as TrialResult
  } catch {
    throw new Problem('NOT_FOUND')
  }
}
