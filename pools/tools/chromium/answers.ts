import type { FetchResponse } from '../../fetch/outbound.ts'
import type { Tab } from './browser.ts'

/** A request of a page that waits for our answer. */
export interface PausedRequest {
  requestId: string
  request: { url: string; method: string; headers: Record<string, string>; postData?: string }
  frameId: string
  resourceType: string
}

/** Counts the requests that have no answer yet. */
export class OpenRequests {
  #count = 0
  #idleSinceMs = 0

  /** The time since the last request was answered; 0 while requests are open. */
  get idleMs(): number {
    return this.#count > 0 ? 0 : performance.now() - this.#idleSinceMs
  }

  async track(answer: () => Promise<void>): Promise<void> {
    this.#count += 1
    try {
      await answer()
    } finally {
      this.#count -= 1
      this.#idleSinceMs = performance.now()
    }
  }
}

export function isPageRequest(tab: Tab, { frameId, resourceType }: PausedRequest): boolean {
  return frameId === tab.frameId && resourceType === 'Document'
}

export async function sendAnswer(
  tab: Tab,
  { requestId }: PausedRequest,
  { status, headers, body }: FetchResponse,
): Promise<void> {
  const responseHeaders = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map(value => ({ name, value })),
  )
  const response = { requestId, responseCode: status, responseHeaders, body: Buffer.from(body).toString('base64') }
  await tab.send('Fetch.fulfillRequest', response)
}
