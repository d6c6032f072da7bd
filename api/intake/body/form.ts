import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Problem } from '#kit'

const MAX_FORM_BYTES = 16 * 1_024
const TYPE = 'application/x-www-form-urlencoded'

/** The fields of a form without files. */
export async function readForm({ headers, body }: FastifyRequest): Promise<URLSearchParams> {
  if (body === undefined || body === null) return new URLSearchParams()
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? ''))
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', { accepted: [TYPE] })
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of body as Readable) {
    sizeBytes += (chunk as Buffer).length
    if (sizeBytes > MAX_FORM_BYTES) throw new Problem('BODY_TOO_LARGE', { ceiling: MAX_FORM_BYTES })
    chunks.push(chunk as Buffer)
  }
  return requireText(new URLSearchParams(Buffer.concat(chunks).toString('utf8')))
}

/** The database stores no NUL character, and no browser sends one. */
function requireText(form: URLSearchParams): URLSearchParams {
  const broken = [...form].find(([, value]) => value.includes('\0'))
  if (broken) throw new Problem('INVALID_PARAM', { field: broken[0].slice(0, 40), reason: 'it has a NUL character' })
  return form
}
