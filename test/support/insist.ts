import type { Answer, Client } from './client.ts'
import { eventually } from './until.ts'

/** Makes one call again and again under one key until it is answered, as a careful caller does; gives every answer. */
export async function insist(client: Client, path: string, body: unknown, key: string): Promise<Answer[]> {
  const answers: Answer[] = []
  const ask = async () => {
    const answer = await client.post(path, body, { 'idempotency-key': key })
    answers.push(answer)
    return answer.status === 200
  }
  await eventually(`an answer for ${key}`, ask, 60_000).catch((error: Error) => {
    throw new Error(`${error.message}; the last was ${answers.at(-1)?.status} ${answers.at(-1)?.text}`)
  })
  return answers
}
