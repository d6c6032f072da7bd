import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { REVIEW } from '../../../ops/products/idverify/review-link.ts'
import type { Pools } from '../../../pools/index.ts'
import { rows, value } from '../../../sql/db.ts'
import { addReviewLink } from '../../../sql/idverify/reviews.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import type { InProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'

/** What the tests of verifications do as owner, person, worker and reviewer. */
export function openParts(api: InProcessApi, pools: Pools) {
  return {
    openOwner: () => openOwner(api),
    openBrowserOf: (made: { hostedUrl: string }) => openBrowserOf(api, made),
    openReviewer: () => openReviewer(api),
    listFiles: (id: string) => listFiles(api, id),
    read: () => runDueSteps({ ...api.context, pools }),
    readReport: (owner: Owner, id: string) => readReport(api, pools, owner, id),
  }
}

type Owner = Awaited<ReturnType<typeof openOwner>>

/** The text of a report, read by another tool than the one that printed it. */
async function readReport(api: InProcessApi, pools: Pools, owner: Owner, id: string): Promise<string> {
  const ask = () => owner.call('GET', `/v1/idverify/verifications/${id}/report`)
  const asking = ask()
  const { db } = api.context
  const hasQueued = async () => (await value<bigint>(db, "select step.count_due('idverify.report')")) > 0n
  await eventually('a report to be asked for', hasQueued)
  await runDueSteps({ ...api.context, pools })
  expect(await rows(db, "select last_error from step.list(9) where state = 'failing'")).toEqual([])
  // Where the machine is busy, the first call may not wait long enough.
  expect([200, 503]).toContain((await asking).statusCode)
  const { statusCode, headers, rawPayload } = await ask()
  expect([statusCode, headers['content-type']]).toEqual([200, 'application/pdf'])
  await using folder = await freshFolder()
  const path = join(folder.path, 'report.pdf')
  await writeFile(path, rawPayload)
  return (await promisify(execFile)('pdftotext', ['-layout', path, '-'])).stdout
}

async function openOwner(api: InProcessApi) {
  const owner = await openBatonOwner(api)
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) => {
    const reply = await owner.call(
      method,
      `/v1/idverify/verifications/${path}`.replace(/\/+(?=$|\?)|(?<=\/)\/+/g, ''),
      payload,
    )
    return { status: reply.statusCode, body: reply.json() }
  }
  const begin = async (body: object = {}) => {
    const { status, body: made } = await ask('POST', '', { type: 'document', ...body })
    expect(status, JSON.stringify(made)).toBe(201)
    return made as { id: string; hostedUrl: string; status: string }
  }
  const hook = { url: 'http://127.0.0.1:9/', events: EVENTS }
  const { id: webhook } = (await owner.call('POST', '/v1/webhooks', hook)).json()
  const events = () =>
    rows<{ event: string; payload: Record<string, unknown> }>(
      api.context.db,
      'select event, payload from svc.webhook_delivery where endpoint_id = $1 order by sequence',
      [webhook],
    )
  return { ...owner, ask, begin, events }
}

const EVENTS = [
  ...['started', 'document_processed', 'age_check', 'manual_review', 'completed', 'failed', 'expired'].map(
    name => `verification.${name}`,
  ),
]

/** A browser that keeps its cookie. */
function openBrowserOf(api: InProcessApi, { hostedUrl }: { hostedUrl: string }) {
  const { pathname } = new URL(hostedUrl)
  const { origin } = new URL(api.context.config.publicUrl)
  let cookie = ''
  const look = () => api.app.inject({ method: 'GET', url: pathname, headers: { cookie } })
  const begin = async () => {
    const reply = await api.app.inject({ method: 'POST', url: pathname, headers: { origin, cookie } })
    cookie = String(reply.headers['set-cookie'] ?? cookie).split(';', 1)[0]!
    return reply
  }
  const send = async (images: Record<string, Buffer>) => {
    const form = new FormData()
    for (const [side, bytes] of Object.entries(images))
      form.append(side, new Blob([new Uint8Array(bytes)]), `${side}.png`)
    const body = new Response(form)
    const headers = { origin, cookie, 'content-type': body.headers.get('content-type')! }
    const payload = Buffer.from(await body.arrayBuffer())
    return api.app.inject({ method: 'POST', url: `${pathname}/images`, headers, payload })
  }
  return { look, begin, send }
}

async function openReviewer(api: InProcessApi) {
  const { config, db } = api.context
  const token = REVIEW.mint()
  await addReviewLink(db, REVIEW.hash(config.secret, token), 'Ida', 1)
  const url = `/review/identity/${token}`
  const { origin } = new URL(config.publicUrl)
  const get = (path = '') => api.app.inject({ method: 'GET', url: url + path })
  const decide = (id: string, fields: Record<string, string>) =>
    api.app.inject({
      method: 'POST',
      url: `${url}/${uuidOf(id)}`,
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    })
  return { get, decide }
}

export const uuidOf = (id: string) => id.replace(/^idv_(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** The files of a verification in the store. */
async function listFiles(api: InProcessApi, id: string): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of api.context.store.list(`identity/${uuidOf(id)}/`)) found.push(key)
  return found
}
