import { until } from '../../ops/back-off.ts'

/** Asks until there is an answer; when the time is over it says what never came. */
export async function eventually<Answer>(
  what: string,
  ask: () => Answer | undefined | false | Promise<Answer | undefined | false>,
  withinMs = 20_000,
): Promise<Answer> {
  const answer = await until(async () => (await ask()) || undefined, { withinMs, everyMs: 25 })
  if (answer === undefined) throw new Error(`waited ${withinMs} ms in vain: ${what}`)
  return answer as Answer
}
