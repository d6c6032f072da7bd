import { eventually } from '../machine/eventually.ts'
import type { Answer, Client } from './client.ts'

/** Repeats a call under one idempotency key until it succeeds, as a careful client does. Returns every answer. */
export async function retryUntilAnswered(
  client: Client,
  path: string,
  body: unknown,
  key: string,
  withinMs = 120_000,
): Promise<Answer[]> {
  const answers: Answer[] = []
  const attempt = async () => {
    const answer = await client.post(path, body, { 'idempotency-key': key }).catch(() => undefined)
    if (!answer) return false
    answers.push(answer)
    return answer.status === 200
  }
  await eventually(`an answer for ${key}`, attempt, withinMs).catch((error: Error) => {
    throw new Error(`${error.message}; the last was ${answers.at(-1)?.status} ${answers.at(-1)?.text}`)
  })
  return answers
}
