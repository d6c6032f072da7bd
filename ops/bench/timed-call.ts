import { pollUntil } from '../back-off.ts'
import { JSON_HEADERS } from './calls.ts'
import type { Stack } from './stack.ts'

const WAIT_MS = 600_000

interface TimedCall {
  seconds: number
  result: Record<string, unknown>
}

/** Sends one call and waits for its result, also where it becomes a ticket. */
export async function timeCall(stack: Stack, path: string, body: object): Promise<TimedCall> {
  const authorization = `Bearer ${stack.keys[0]}`
  const headers = { ...JSON_HEADERS, authorization }
  const startedAt = performance.now()
  const reply = await fetch(stack.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = (await reply.json()) as Record<string, unknown>
  const result = reply.status === 202 ? await waitForJob(stack, String(answer.ticket)) : answer
  if (!result || reply.status > 202)
    throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(answer).slice(0, 300)}`)
  return { seconds: (performance.now() - startedAt) / 1_000, result }
}

function waitForJob({ baseUrl, keys }: Stack, ticket: string): Promise<Record<string, unknown> | undefined> {
  const readJob = async () => {
    const reply = await fetch(`${baseUrl}/v1/jobs/${ticket}`, { headers: { authorization: `Bearer ${keys[0]}` } })
    const { status, result } = (await reply.json()) as { status: string; result?: Record<string, unknown> }
    return status === 'succeeded' ? result : undefined
  }
  return pollUntil(readJob, { withinMs: WAIT_MS, everyMs: 50 })
}
