import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from '#kit'
import { deriveKey } from '../secrets.ts'
import type { GetTicket, PostTicket } from './index.ts'
import { isKey } from './key.ts'

/** What a ticket's bearer may say of the object, because the signature covers it. */
export interface Admission {
  filename?: string
  contentType?: string
}

/**
 * Presigned addresses of the local driver. Everything that matters stands inside the signature: what may be done, to
 * which key, until when, how much, and as which type. That a form works once needs no memory: the store refuses to
 * replace the object it made.
 */
export class LocalTickets {
  readonly #base: string
  readonly #key: Buffer
  readonly #now: () => number

  constructor(publicUrl: string, secret: string, now: () => number) {
    this.#base = `${publicUrl.replace(/\/+$/, '')}/objects`
    this.#key = deriveKey(secret, 'object-ticket')
    this.#now = now
  }

  get(key: string, { expiresInSeconds, filename, contentType }: GetTicket): string {
    const expires = this.#expiry(expiresInSeconds)
    const query = new URLSearchParams({ expires })
    if (filename) query.set('filename', filename.toWellFormed())
    if (contentType) query.set('type', contentType)
    query.set('signature', this.#sign(['get', key, expires, query.get('filename'), query.get('type')]))
    return `${this.#base}/${key}?${query}`
  }

  admitGet(key: string, query: Record<string, unknown>): Admission {
    const { expires, filename, type, signature, ...unknown } = query
    if (Object.keys(unknown).length > 0) throw forged()
    const [name, contentType] = [textOrNull(filename), textOrNull(type)]
    this.#verify(['get', isKey(key) ? key : '', text(expires), name, contentType], signature)
    this.#checkExpiry(text(expires))
    return { filename: name ?? undefined, contentType: contentType ?? undefined }
  }

  post(key: string, { maxBytes, contentType, expiresInSeconds }: PostTicket) {
    const expires = this.#expiry(expiresInSeconds)
    const signature = this.#sign(['post', key, expires, String(maxBytes), contentType ?? null])
    const type: Record<string, string> = contentType === undefined ? {} : { 'Content-Type': contentType }
    return { url: this.#base, fields: { key, expires, maxBytes: String(maxBytes), ...type, signature } }
  }

  admitPost(fields: Record<string, unknown>): Admission & { key: string; maxBytes: number } {
    const { key, expires, maxBytes, 'Content-Type': type, signature } = fields
    const contentType = textOrNull(type)
    this.#verify(['post', text(key), text(expires), text(maxBytes), contentType], signature)
    this.#checkExpiry(text(expires))
    return { key: text(key), maxBytes: Number(maxBytes), contentType: contentType ?? undefined }
  }

  #expiry(inSeconds: number): string {
    return String(Math.floor(this.#now() / 1000) + inSeconds)
  }

  #checkExpiry(expires: string): void {
    if (this.#now() >= Number(expires) * 1000) throw new Problem('FORBIDDEN', { reason: 'This address has expired.' })
  }

  #sign(parts: readonly (string | null)[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('base64url')
  }

  #verify(parts: readonly (string | null)[], signature: unknown): void {
    const wanted = Buffer.from(this.#sign(parts))
    const given = Buffer.from(text(signature))
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw forged()
  }
}

function forged(): Problem {
  return new Problem('FORBIDDEN', { reason: 'The signature does not fit this request.' })
}

/** A field given twice is an array, which no signature covers. */
function text(value: unknown): string {
  if (typeof value !== 'string') throw forged()
  return value
}

function textOrNull(value: unknown): string | null {
  return value === undefined ? null : text(value)
}
