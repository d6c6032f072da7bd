import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from '#kit'
import { deriveKey } from '../../secrets.ts'
import type { PresignGetOptions, PresignPostOptions } from './contract.ts'
import { isObjectKey } from './key.ts'

/** The signed properties of a presigned request. */
export interface PresignedAccess {
  filename?: string
  contentType?: string
}

/**
 * Presigned URLs and forms of the local store. The signature covers everything that matters: the action, the key, the
 * expiry, the size and the type. A form works once without any record, because the store does not replace the object.
 */
export class LocalPresigner {
  readonly #base: string
  readonly #key: Buffer
  readonly #now: () => number

  constructor(publicUrl: string, secret: string, now: () => number) {
    this.#base = `${publicUrl.replace(/\/+$/, '')}/objects`
    this.#key = deriveKey(secret, 'object-ticket')
    this.#now = now
  }

  presignGet(key: string, { expiresInSeconds, filename, contentType }: PresignGetOptions): string {
    const expires = this.#expiresAt(expiresInSeconds)
    const query = new URLSearchParams({ expires })
    if (filename) query.set('filename', filename.toWellFormed())
    if (contentType) query.set('type', contentType)
    query.set('signature', this.#sign(['get', key, expires, query.get('filename'), query.get('type')]))
    return `${this.#base}/${key}?${query}`
  }

  verifyGet(key: string, query: Record<string, unknown>): PresignedAccess {
    const { expires, filename, type, signature, ...unknown } = query
    if (Object.keys(unknown).length > 0) throw createForgedProblem()
    const [name, contentType] = [optionalText(filename), optionalText(type)]
    this.#verify(['get', isObjectKey(key) ? key : '', requireText(expires), name, contentType], signature)
    this.#checkExpiry(requireText(expires))
    return { filename: name ?? undefined, contentType: contentType ?? undefined }
  }

  presignPost(key: string, { maxBytes, contentType, expiresInSeconds }: PresignPostOptions) {
    const expires = this.#expiresAt(expiresInSeconds)
    const signature = this.#sign(['post', key, expires, String(maxBytes), contentType ?? null])
    const type: Record<string, string> = contentType === undefined ? {} : { 'Content-Type': contentType }
    return { url: this.#base, fields: { key, expires, maxBytes: String(maxBytes), ...type, signature } }
  }

  verifyPost(fields: Record<string, unknown>): PresignedAccess & { key: string; maxBytes: number } {
    const { key, expires, maxBytes, 'Content-Type': type, signature } = fields
    const contentType = optionalText(type)
    this.#verify(['post', requireText(key), requireText(expires), requireText(maxBytes), contentType], signature)
    this.#checkExpiry(requireText(expires))
    return { key: requireText(key), maxBytes: Number(maxBytes), contentType: contentType ?? undefined }
  }

  #expiresAt(inSeconds: number): string {
    return String(Math.floor(this.#now() / 1000) + inSeconds)
  }

  #checkExpiry(expires: string): void {
    if (this.#now() >= Number(expires) * 1000) throw new Problem('FORBIDDEN', { reason: 'This address has expired.' })
  }

  #sign(parts: readonly (string | null)[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('base64url')
  }

  #verify(parts: readonly (string | null)[], signature: unknown): void {
    const expected = Buffer.from(this.#sign(parts))
    const given = Buffer.from(requireText(signature))
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw createForgedProblem()
  }
}

function createForgedProblem(): Problem {
  return new Problem('FORBIDDEN', { reason: 'The signature does not fit this request.' })
}

/** A repeated field arrives as an array, which is rejected because the signature covers one value. */
function requireText(value: unknown): string {
  if (typeof value !== 'string') throw createForgedProblem()
  return value
}

function optionalText(value: unknown): string | null {
  return value === undefined ? null : requireText(value)
}
