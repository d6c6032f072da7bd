import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
  region: string
}

/** An invalid request, with the error code of a real S3. */
export class S3Error extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

const signatureMismatch = () => new S3Error(403, 'SignatureDoesNotMatch')

/** Verifies a request signed in its headers or its URL (AWS Signature Version 4), from the received bytes. */
export function verifyRequest(request: IncomingMessage, body: Buffer, keys: Credentials, nowMs: number): void {
  const [path, rawQuery = ''] = request.url!.split('?') as [string, string?]
  const query = rawQuery === '' ? [] : rawQuery.split('&').map(pair => (pair.includes('=') ? pair : `${pair}=`))
  if (query.some(pair => pair.startsWith('X-Amz-Signature='))) verifyPresigned(request, path, query, keys, nowMs)
  else verifyHeaders(request, path, query, body, keys, nowMs)
}

function verifyHeaders(
  request: IncomingMessage,
  path: string,
  query: string[],
  body: Buffer,
  keys: Credentials,
  nowMs: number,
): void {
  const pattern = /^AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=([0-9a-f]{64})$/
  const match = pattern.exec(request.headers.authorization ?? '')
  if (!match) throw new S3Error(403, 'AccessDenied')
  const [, credential, signedHeaders, signature] = match as unknown as [string, string, string, string]
  const payload = String(request.headers['x-amz-content-sha256'])
  if (payload !== sha256(body)) throw new S3Error(400, 'XAmzContentSHA256Mismatch')
  const date = String(request.headers['x-amz-date'])
  if (Math.abs(parseDate(date) - nowMs) > 15 * 60_000) throw new S3Error(403, 'RequestTimeTooSkewed')
  const text = buildCanonicalRequest(request, path, query, signedHeaders, payload)
  checkSignature(text, date, credential, signature, keys)
}

function verifyPresigned(
  request: IncomingMessage,
  path: string,
  query: string[],
  keys: Credentials,
  nowMs: number,
): void {
  const given = new URLSearchParams(query.join('&'))
  const date = given.get('X-Amz-Date') ?? ''
  if (given.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') throw signatureMismatch()
  if (nowMs > parseDate(date) + Number(given.get('X-Amz-Expires')) * 1000) throw new S3Error(403, 'AccessDenied')
  const rest = query.filter(pair => !pair.startsWith('X-Amz-Signature='))
  const text = buildCanonicalRequest(request, path, rest, given.get('X-Amz-SignedHeaders') ?? '', 'UNSIGNED-PAYLOAD')
  checkSignature(text, date, given.get('X-Amz-Credential') ?? '', given.get('X-Amz-Signature') ?? '', keys)
}

function buildCanonicalRequest(
  request: IncomingMessage,
  path: string,
  query: string[],
  signed: string,
  payload: string,
): string {
  const names = signed.split(';')
  if (!names.includes('host')) throw signatureMismatch()
  const headers = names.map(name => `${name}:${String(request.headers[name] ?? '').trim()}\n`).join('')
  return [request.method, path, [...query].sort().join('&'), headers, signed, payload].join('\n')
}

function checkSignature(text: string, date: string, credential: string, signature: string, keys: Credentials): void {
  const scope = readScope(credential, keys)
  const toSign = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(text)].join('\n')
  if (!isEqual(signature, hmac(deriveSigningKey(scope, keys), toSign).toString('hex'))) throw signatureMismatch()
}

type Condition = Record<string, string> | [string, string, string] | ['content-length-range', number, number]

/** Verifies a browser form: its signature, its expiry, and that all fields and the file match its policy. */
export function verifyForm(
  fields: Map<string, string>,
  bucket: string,
  sizeBytes: number,
  keys: Credentials,
  nowMs: number,
) {
  const policy = fields.get('policy') ?? ''
  const scope = readScope(fields.get('x-amz-credential') ?? '', keys)
  const expected = hmac(deriveSigningKey(scope, keys), policy).toString('hex')
  if (!isEqual(fields.get('x-amz-signature') ?? '', expected)) throw signatureMismatch()
  const { expiration, conditions } = JSON.parse(Buffer.from(policy, 'base64').toString()) as {
    expiration: string
    conditions: Condition[]
  }
  if (nowMs > Date.parse(expiration)) throw new S3Error(403, 'AccessDenied')
  const open = new Set([...fields.keys()].filter(name => name !== 'policy' && name !== 'x-amz-signature'))
  for (const condition of conditions)
    checkCondition(condition, new Map([['bucket', bucket], ...fields]), sizeBytes, open)
  if (open.size > 0) throw new S3Error(403, 'AccessDenied')
}

function checkCondition(condition: Condition, fields: Map<string, string>, sizeBytes: number, open: Set<string>): void {
  if (!Array.isArray(condition)) {
    for (const [name, value] of Object.entries(condition)) checkField('eq', name, value, fields, open)
  } else if (condition[0] === 'content-length-range') {
    if (sizeBytes < Number(condition[1])) throw new S3Error(400, 'EntityTooSmall')
    if (sizeBytes > Number(condition[2])) throw new S3Error(400, 'EntityTooLarge')
  } else {
    const [kind, name, value] = condition as [string, string, string]
    checkField(kind, name.slice(1), value, fields, open)
  }
}

function checkField(kind: string, name: string, value: string, fields: Map<string, string>, open: Set<string>): void {
  const given = fields.get(name.toLowerCase()) ?? ''
  const matches = kind === 'starts-with' ? given.startsWith(value) : given === value
  if (!matches) throw new S3Error(403, 'AccessDenied')
  open.delete(name.toLowerCase())
}

function readScope(credential: string, keys: Credentials): [string, string, string, string] {
  const [accessKeyId, ...scope] = credential.split('/')
  if (accessKeyId !== keys.accessKeyId) throw new S3Error(403, 'InvalidAccessKeyId')
  if (scope.length !== 4 || scope[1] !== keys.region || scope[2] !== 's3') throw signatureMismatch()
  return scope as [string, string, string, string]
}

function deriveSigningKey(scope: readonly string[], keys: Credentials): Buffer {
  return scope.reduce<Buffer>((key, word) => hmac(key, word), Buffer.from(`AWS4${keys.secretAccessKey}`))
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

function isEqual(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))
}

/** `20261120T133736Z`. */
function parseDate(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
