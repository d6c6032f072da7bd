import type { Call } from './load.ts'
import type { Stack } from './stack.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }
/** Makes a call take the queue where it could be answered at once, and still be answered inline. */
const THROUGH_QUEUE = { Prefer: 'respond-async, wait=25' }
const KIBIBYTE = JSON.stringify({ text: 'coinop '.repeat(145) })

/** Lane I: the hash of a text of 1 KB. */
export function hashCall({ keys }: Pick<Stack, 'keys'>): Call {
  return { path: '/v1/utils/hash', headers: JSON_HEADERS, body: KIBIBYTE, keys }
}

/** Lane Q: an operation that does next to nothing, sent through the queue. */
export function queuedCall({ keys }: Pick<Stack, 'keys'>): Call {
  return { path: '/v1/utils/uuid', headers: { ...JSON_HEADERS, ...THROUGH_QUEUE }, body: '{}', keys }
}

/** What the floor is sent: the same bytes as the call it stands beside. */
export function floorCall(call: Call, path = '/commit'): Call {
  return { ...call, path }
}

export const QUEUED = THROUGH_QUEUE
export const AS_JSON = JSON_HEADERS
