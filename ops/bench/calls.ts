import type { Call } from './load/run.ts'
import type { Stack } from './stack.ts'

export const JSON_HEADERS = { 'Content-Type': 'application/json' }
/** Sends a call through the queue, even one that could be answered at once; the answer still comes inline. */
export const QUEUED_HEADERS = { Prefer: 'respond-async, wait=25' }
const KIBIBYTE_BODY = JSON.stringify({ text: 'coinop '.repeat(145) })

/** An instant call (lane I): the hash of a text of 1 KB. */
export function buildHashCall({ keys }: Pick<Stack, 'keys'>): Call {
  return { path: '/v1/utils/hash', headers: JSON_HEADERS, body: KIBIBYTE_BODY, keys }
}

/** A queued call (lane Q): an operation that does almost nothing. */
export function buildQueuedCall({ keys }: Pick<Stack, 'keys'>): Call {
  return { path: '/v1/utils/uuid', headers: { ...JSON_HEADERS, ...QUEUED_HEADERS }, body: '{}', keys }
}

/** A queued call of a real operation: a slug, made in a thread. */
export function buildSlugCall({ keys }: Pick<Stack, 'keys'>): Call {
  return {
    path: '/v1/text/slugify',
    headers: JSON_HEADERS,
    body: JSON.stringify({ text: 'Crème brûlée & 北京!' }),
    keys,
  }
}

/** The call sent to the floor server: the same bytes as the service's call. */
export function buildFloorCall(call: Call, path = '/commit'): Call {
  return { ...call, path }
}
