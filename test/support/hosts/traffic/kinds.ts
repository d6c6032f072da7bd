import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../house/files.ts'
import { type Answer, type Call, isFinal } from './call.ts'

/** What was acknowledged, by which it is found again afterwards. */
export interface Acknowledged {
  /** The job of a call that is charged. */
  job?: string
  /** A file that can be read, and its hash. */
  file?: { path: string; sha256: string }
  /** A line that a log has. */
  line?: { log: string; text: string }
}

/** Makes one call, whose name is its idempotency key, and says what was acknowledged. */
type Kind = (call: (call: Call) => Promise<Answer>, name: string) => Promise<Acknowledged>

const sample = (name: string) => readFileSync(join(ROOT, 'tasks/samples', name))
const image = { inline: sample('gradient.png').toString('base64') }
const document = sample('two-pages.pdf')
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

/** One of each lane, and what is stored. */
export const KINDS = {
  async instant(call, key) {
    const answer = await call({ path: '/v1/utils/hash', body: { text: key }, key })
    must(answer, 200, answer.body?.hashes?.sha256 === sha256(key))
    return jobOf(answer)
  },

  async thread(call, key) {
    const texts = Array.from({ length: 20 }, (_, index) => `${key} ${index}`)
    const answer = await call({ path: '/v1/text/slugify', body: { texts }, key })
    must(answer, 200, answer.body?.slugs?.[19] === `${key}-19`)
    return jobOf(answer)
  },

  async native(call, key) {
    const answer = await call({ path: '/v1/image/resize', body: { file: image, width: 20, format: 'png' }, key })
    must(answer, 200)
    return jobOf(answer)
  },

  /** The file goes straight to the store. */
  async program(call, key) {
    const given = await call({ path: '/v1/cputools/upload-url', body: { ext: 'pdf' } })
    must(given, 201)
    const form = new FormData()
    for (const [name, text] of Object.entries(given.body.fields as Record<string, string>)) form.append(name, text)
    form.append('file', new Blob([document]), 'a')
    must(await call({ path: '', url: given.body.url, body: form }), 204)
    const body = { file: { inputKey: given.body.inputKey } }
    const answer = await call({ path: '/v1/pdf/extract-text', body, key })
    must(answer, 200)
    return jobOf(answer)
  },

  /** By a worker, in the background, because calls that wait for a model run in the api. */
  async remote(call, key) {
    const body = { input: `When is low tide, ${key}?` }
    return runTicket(call, { path: '/v1/llm/rewrite', body, key })
  },

  async ticket(call, key) {
    return runTicket(call, { path: '/v1/text/slugify', body: { text: key }, key })
  },

  async append(call, key) {
    const created = appends % APPENDS_EACH === 0 ? await createLog(call, key) : undefined
    log = created?.log ?? log!
    appends += 1
    const text = `${key}\n`
    const answer = await call({ path: `/v1/baton/${log}`, body: { content: text }, key: `${key}-append` })
    must(answer, 201)
    return { line: { log, text }, ...(created && { job: created.job }) }
  },

  async file(call, key) {
    const bytes = randomBytes(20_000)
    const headers = { 'content-type': 'image/png', 'x-filename': `${key}.png` }
    const answer = await call({ path: '/api/storage', body: bytes, key, headers })
    must(answer, 201)
    return { ...jobOf(answer), file: { path: `/api/storage/${answer.body.lease_id}`, sha256: sha256(bytes) } }
  },

  /** A list, which the standby answers. */
  async list(call) {
    must(await call({ method: 'GET', path: '/v1/account/ledger?limit=5' }), 200)
    return {}
  },
} satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS

/** Fewer than are paid for with a log. */
const APPENDS_EACH = 900
let appends = 0
let log: string | undefined

async function createLog(call: Parameters<Kind>[0], key: string): Promise<{ log: string; job: string }> {
  const answer = await call({ path: '/v1/baton', body: { preset: 'ledger', tier: 'micro', content: '' }, key })
  must(answer, 201)
  return { log: answer.body.id, ...jobOf(answer) }
}

async function runTicket(call: Parameters<Kind>[0], asked: Call): Promise<Acknowledged> {
  const isDone = (answer: Answer) => answer.status === 202 || isFinal(answer)
  const accepted = await call({ ...asked, headers: { prefer: 'respond-async' }, isDone })
  const { job } = jobOf(accepted)
  const ended = await call({
    ...{ method: 'GET', path: `/v1/jobs/${job}?wait=4` },
    isDone: ({ status, body }) => status === 200 && body?.finishedAt !== undefined,
  })
  must(ended, 200, ended.body.status === 'succeeded')
  return { job }
}

function jobOf({ headers }: Answer): { job: string } {
  return { job: headers.get('x-service-job-id')! }
}

function must(answer: Answer, status: number, isRight = true): void {
  if (answer.status !== status || !isRight) throw new Error(`${answer.status} ${answer.bytes.subarray(0, 500)}`)
}
