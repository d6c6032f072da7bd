import { pollUntil } from '../../../ops/back-off.ts'

/** Polls until `ask` gives an answer; after the timeout it throws with the description `what`. */
export async function eventually<Answer>(
  what: string,
  ask: () => Answer | undefined | false | Promise<Answer | undefined | false>,
  withinMs = 120_000,
): Promise<Answer> {
  const answer = await pollUntil(async () => (await ask()) || undefined, { withinMs, everyMs: 25 })
  if (answer === undefined) throw new Error(`timed out after ${withinMs} ms, waiting for: ${what}`)
  return answer as Answer
}
