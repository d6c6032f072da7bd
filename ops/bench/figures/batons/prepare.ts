import type { Call } from '../../load/run.ts'
import type { Stack } from '../../stack.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }
const KIBIBYTE = 'x'.repeat(1_024)
const CREATE_BODY = JSON.stringify({ preset: 'scratchpad', tier: 'femto', content: KIBIBYTE })

interface NewBaton {
  id: string
  upload: { url: string; fields: Record<string, string> }
}

export async function createBaton(stack: Stack, key: string, body: string): Promise<NewBaton> {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${key}` }
  const reply = await fetch(`${stack.baseUrl}/v1/baton`, { method: 'POST', headers, body })
  const answer = await reply.text()
  if (reply.status !== 201) throw new Error(`a baton was not created: ${answer.slice(0, 300)}`)
  return JSON.parse(answer) as NewBaton
}

/** One log for each account, with quotas that no measurement uses up. */
export async function openLogs(stack: Stack): Promise<string[]> {
  const batons = await Promise.all(stack.keys.map(key => createBaton(stack, key, CREATE_BODY)))
  await liftQuotas(stack)
  return batons.map(({ id }) => `/v1/baton/${id}`)
}

export async function liftQuotas({ db }: Stack): Promise<void> {
  await db.query({
    text: 'update svc.baton set size_bytes = 1e15, egress_bytes = 1e15, max_reads = 1e9, max_writes = 1e9',
  })
}

export function buildAppend({ keys }: Stack, paths: readonly string[]): Call {
  return { path: paths[0]!, paths, keys, headers: JSON_HEADERS, body: JSON.stringify({ content: KIBIBYTE }) }
}

/** Reads one entry of each log. */
export function buildRead({ keys }: Stack, logs: readonly string[]): Call {
  const paths = logs.map(path => `${path}?entry=1`)
  return { method: 'GET', path: paths[0]!, paths, keys, headers: {}, body: '' }
}

export function buildCreate({ keys }: Stack): Call {
  return { path: '/v1/baton', keys, headers: JSON_HEADERS, body: CREATE_BODY }
}
