import { Problem, type Warning } from '#kit'

/** Of an answer that is charged although it is not whole, because the caller has read what had come of it. */
const BROKEN_OFF: Warning = {
  code: 'BROKEN_OFF',
  message: 'The provider broke the answer off. What it had written until then is charged.',
}

const STOPPED: Warning = {
  code: 'STOPPED',
  message: 'The caller closed the connection before the end of the answer.',
}

/** Why an answer is not whole; undefined if it is. */
export function explainEnd({
  isStopped,
  isBroken,
}: {
  isStopped?: boolean
  isBroken?: boolean
}): Warning[] | undefined {
  if (isBroken) return [BROKEN_OFF]
  return isStopped ? [STOPPED] : undefined
}

export function isBroken(answer: unknown): boolean {
  const { warnings = [] } = answer as { warnings?: readonly Warning[] }
  return warnings.some(({ code }) => code === BROKEN_OFF.code)
}

/** The error that ends a stream which was broken off, with what is charged. */
export function describeBreak(answer: unknown): object {
  const { usage } = answer as { usage?: object }
  const problem = new Problem('PROVIDER_UNAVAILABLE', { capability: 'llm', reason: BROKEN_OFF.message, usage })
  return problem.toBody()
}
