import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { PaymentNetwork } from '#kit'
import { Problem } from '#kit'
import { deriveKey } from '../../../ops/secrets.ts'
import type { Caller } from '../identity/caller.ts'
import type { Payments } from './payments.ts'
import { isObject } from './payments.ts'

const LIFE_MS = 5 * 60_000
/** Allowed difference between clocks. */
const SKEW_MS = 30_000

/** A nonce that carries its time and our signature, so that an offer needs no database row. */
function newNonce(secret: string, nowMs: number): string {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(Math.floor(nowMs / 1_000))
  randomBytes(4).copy(head, 4)
  return head.toString('hex') + signatureOf(secret, head).toString('hex')
}

function isOwnNonce(secret: string, nonce: string, nowMs: number): boolean {
  if (!/^[0-9a-f]{32}$/.test(nonce)) return false
  const bytes = Buffer.from(nonce, 'hex')
  if (!timingSafeEqual(bytes.subarray(8), signatureOf(secret, bytes.subarray(0, 8)))) return false
  const ageMs = nowMs - bytes.readUInt32BE() * 1_000
  return ageMs >= -SKEW_MS && ageMs <= LIFE_MS + SKEW_MS
}

function signatureOf(secret: string, head: Buffer): Buffer {
  return createHmac('sha256', deriveKey(secret, 'sign-in-with-x')).update(head).digest().subarray(0, 8)
}

/** The part of an offer that lets a wallet sign in instead of paying. */
export function signInOffer(uri: string, network: PaymentNetwork, secret: string, nowMs: number): object {
  return {
    info: {
      domain: new URL(uri).host,
      uri,
      version: '1',
      nonce: newNonce(secret, nowMs),
      issuedAt: new Date(nowMs).toISOString(),
      expirationTime: new Date(nowMs + LIFE_MS).toISOString(),
      statement: 'Sign in to use what this wallet has paid for.',
      resources: [uri],
    },
    supportedChains: [{ chainId: network.caip2, type: 'eip191' }],
    schema: {
      type: 'object',
      required: ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature'],
    },
  }
}

interface SignIn {
  domain: string
  address: string
  statement?: string
  uri: string
  version: string
  chainId: string
  type: string
  nonce: string
  issuedAt: string
  expirationTime?: string
  notBefore?: string
  requestId?: string
  resources?: string[]
  signature: string
}

/** The caller of a `SIGN-IN-WITH-X` header: a message a wallet signed recently, for this service and for one use. */
export async function callerBySignedMessage(
  header: string,
  payments: Payments,
  { publicUrl, secret }: { publicUrl: string; secret: string },
  now: number,
): Promise<Caller> {
  const message = read(header)
  checkPlace(message, new URL(publicUrl), payments.network)
  checkTime(message, now)
  if (!isOwnNonce(secret, message.nonce, now)) throw rejectMessage('nonce')
  const { address, signature } = message
  if (!(await payments.facilitator.verifyMessage({ address, message: messageText(message), signature }))) {
    throw rejectMessage('signature')
  }
  if (!(await payments.isFirstUse(message.nonce, new Date(now + 2 * LIFE_MS)))) throw rejectMessage('nonce')
  return payments.callerForAddress(address)
}

function checkPlace({ domain, uri, chainId, version }: SignIn, home: URL, network: PaymentNetwork): void {
  if (domain !== home.host || originOf(uri) !== home.origin) throw rejectMessage('domain')
  if (chainId !== network.caip2 || version !== '1') throw rejectMessage('chainId')
}

function checkTime(message: SignIn, now: number): void {
  const issuedAt = timeOf(message.issuedAt)
  if (issuedAt > now + SKEW_MS || issuedAt < now - LIFE_MS) throw rejectMessage('issuedAt')
  if (message.expirationTime !== undefined && timeOf(message.expirationTime) <= now)
    throw rejectMessage('expirationTime')
  if (message.notBefore !== undefined && timeOf(message.notBefore) > now + SKEW_MS) throw rejectMessage('notBefore')
}

/** The exact text of EIP-4361, because that is what the wallet signed. */
export function messageText(message: Omit<SignIn, 'signature' | 'type'>): string {
  const chain = message.chainId.replace('eip155:', '')
  return [
    `${message.domain} wants you to sign in with your Ethereum account:`,
    message.address,
    '',
    ...(message.statement === undefined ? [''] : [message.statement, '']),
    `URI: ${message.uri}`,
    `Version: ${message.version}`,
    `Chain ID: ${chain}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt}`,
    ...(message.expirationTime === undefined ? [] : [`Expiration Time: ${message.expirationTime}`]),
    ...(message.notBefore === undefined ? [] : [`Not Before: ${message.notBefore}`]),
    ...(message.requestId === undefined ? [] : [`Request ID: ${message.requestId}`]),
    ...(message.resources === undefined ? [] : ['Resources:', ...message.resources.map(resource => `- ${resource}`)]),
  ].join('\n')
}

const REQUIRED_FIELDS = ['domain', 'address', 'uri', 'version', 'chainId', 'nonce', 'issuedAt', 'signature'] as const
const OPTIONAL_FIELDS = ['statement', 'expirationTime', 'notBefore', 'requestId'] as const

function read(header: string): SignIn {
  let message: unknown
  try {
    message = JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
  } catch {
    throw rejectMessage('form')
  }
  if (!isObject(message)) throw rejectMessage('form')
  const { resources } = message
  const isWhole =
    REQUIRED_FIELDS.every(word => isLine(message[word])) &&
    OPTIONAL_FIELDS.every(word => message[word] === undefined || isLine(message[word])) &&
    (resources === undefined || (Array.isArray(resources) && resources.every(isLine))) &&
    /^0x[0-9a-f]{40}$/i.test(String(message.address)) &&
    /^0x[0-9a-f]+$/i.test(String(message.signature))
  if (!isWhole) throw rejectMessage('form')
  return message as unknown as SignIn
}

/** A single line: a value with a line break could forge other lines of the signed message. */
function isLine(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2_000 && !/[\r\n]/.test(value)
}

function timeOf(text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw rejectMessage('form')
  return time
}

function originOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).origin : undefined
}

function rejectMessage(part: string): Problem {
  return new Problem('UNAUTHENTICATED', { header: 'SIGN-IN-WITH-X', part })
}
