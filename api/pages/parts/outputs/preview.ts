import { type JobPayload, laneOf, newId, Problem, type StagedFile, type StoredOutput } from '#kit'
import type { ApiContext } from '../../../context.ts'
import { NO_ACCOUNT } from '../../../intake/identity/anonymous.ts'
import { rateProblem } from '../../../intake/identity/rate-limit.ts'
import { soleOutput } from '../../../intake/reply/send.ts'
import { validate } from '../../../intake/validate.ts'
import { Places } from '../../../intake/x402/places.ts'
import type { PageFile } from '../page.ts'
import { readHead, SANDBOX } from './files.ts'

// Decision 0031: draw previews in a worker.

/** What a preview shows of a file. */
type PreviewKind = 'picture' | 'page' | 'table' | 'text' | 'none'

/** Browsers show these in an `<img>`, where even SVG runs no script and loads nothing. */
const BROWSER_IMAGES = /^image\/(png|jpeg|webp|gif|avif|svg\+xml)$/
const MAX_IMAGE_BYTES = 4 * 2 ** 20
const MAX_DRAWN_BYTES = 64 * 2 ** 20
const TEXT_TYPES = /^(text\/|application\/(json|xml|x-ndjson|ld\+json)\b)/
const TABLE_TYPES = /^text\/(csv|tab-separated-values)\b/

const PER_MINUTE = 60
const PLACES = 2
const WAIT_MS = 10_000
const LIMIT_SECONDS = 10
const SIDE = 1_200
const MAX_REMEMBERED_BYTES = 16 * 2 ** 20

export function previewKind({ contentType, sizeBytes }: StoredOutput): PreviewKind {
  if (TABLE_TYPES.test(contentType)) return 'table'
  if (TEXT_TYPES.test(contentType)) return 'text'
  if (sizeBytes > MAX_DRAWN_BYTES) return 'none'
  if (contentType.startsWith('image/')) return 'picture'
  return contentType === 'application/pdf' ? 'page' : 'none'
}

const places = new Places()
const remembered = new Map<string, Buffer>()

/** A picture for the page of a job: the file itself if a browser can show it, or one that a worker draws. */
export async function sendPreview(context: ApiContext, accountId: string, output: StoredOutput): Promise<PageFile> {
  const kind = previewKind(output)
  if (kind !== 'picture' && kind !== 'page') throw new Problem('NOT_FOUND')
  if (BROWSER_IMAGES.test(output.contentType) && output.sizeBytes <= MAX_IMAGE_BYTES) {
    const body = await readHead(context, output, MAX_IMAGE_BYTES)
    return { headers: { 'content-type': output.contentType, ...SANDBOX }, body }
  }
  const body = await drawOnce(context, accountId, output, kind)
  return { headers: { 'content-type': 'image/webp', ...SANDBOX }, body }
}

async function drawOnce(
  context: ApiContext,
  accountId: string,
  output: StoredOutput,
  kind: 'picture' | 'page',
): Promise<Buffer> {
  const known = output.key === undefined ? undefined : remembered.get(output.key)
  if (known) return known
  const allowance = context.limits.take(`preview:${accountId}`, PER_MINUTE)
  if (allowance.isOver) throw rateProblem(allowance)
  const drawn = await places.run(PLACES, WAIT_MS, () => draw(context, output, kind))
  if (output.key !== undefined) remember(output.key, drawn)
  return drawn
}

function remember(key: string, drawn: Buffer): void {
  remembered.set(key, drawn)
  let bytes = [...remembered.values()].reduce((sum, { length }) => sum + length, 0)
  for (const [oldest, { length }] of remembered) {
    if (bytes <= MAX_REMEMBERED_BYTES) return
    remembered.delete(oldest)
    bytes -= length
  }
}

/** Has a worker draw it: nothing of a customer's file is decoded in this process. The job belongs to no account and is free. */
async function draw(context: ApiContext, output: StoredOutput, kind: 'picture' | 'page'): Promise<Buffer> {
  const { jobs, waiters, store, catalog } = context
  const operation = catalog.operation(kind === 'page' ? 'pdf.render' : 'image.resize')
  if (!operation) throw new Problem('NOT_FOUND')
  const id = newId()
  const seconds = LIMIT_SECONDS + WAIT_MS / 1_000
  const waiter = waiters.wait(id, seconds * 1_000)
  try {
    const payload = buildPayload({ id, operation, output, seconds })
    const lane = laneOf(operation.uses)
    const { name: serviceKey } = operation
    await jobs.intake({ id, accountId: NO_ACCOUNT, serviceKey, lane, amountMicros: 0n, seconds, payload })
    const end = await waiter.end
    if (!end) throw new Problem('BUSY')
    const drawn = end.status === 'succeeded' ? soleOutput(end.content)?.output : undefined
    if (!drawn) throw new Problem('NOT_FOUND')
    const bytes = await readHead(context, drawn, drawn.sizeBytes)
    if (drawn.key !== undefined) await store.remove(drawn.key)
    return bytes
  } finally {
    waiter.giveUp()
  }
}

type Drawing = Pick<JobPayload, 'id'> & {
  operation: NonNullable<ReturnType<ApiContext['catalog']['operation']>>
  output: StoredOutput
  seconds: number
}

/** A ceiling of zero makes the job free, whatever its file turns out to hold. */
function buildPayload({ id, operation, output, seconds }: Drawing): string {
  const { key, inline, contentType: type, sizeBytes, name } = output
  const input = { file: { inline: '' } as object, width: SIDE, height: SIDE, format: 'webp' }
  validate(operation.input, input)
  input.file = { key, inline, type, sizeBytes, name } satisfies StagedFile
  const createdAt = Date.now()
  return JSON.stringify({
    id,
    accountId: NO_ACCOUNT,
    operation: operation.name,
    input,
    inputBytes: sizeBytes,
    options: {},
    heldMicros: '0',
    ceilingMicros: '0',
    limitSeconds: LIMIT_SECONDS,
    createdAt,
    deadlineAt: createdAt + seconds * 1_000,
  } satisfies JobPayload)
}
