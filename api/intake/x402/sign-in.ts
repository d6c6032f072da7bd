import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { PaymentNetwork } from '#kit'
import { Problem } from '#kit'
import { deriveKey } from '../../../ops/secrets.ts'
import type { Caller } from '../authenticate.ts'
import { isObject } from './payload.ts'
import type { Payments } from './payments.ts'

const LIFE_MS = 5 * 60_000
/** Clocks differ a little. */
const SKEW_MS = 30_000

/** A nonce that says itself when it was made and by whom, so that an offer costs no row. */
export function newNonce(secret: string, nowMs: number): string {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(Math.floor(nowMs / 1_000))
  randomBytes(4).copy(head, 4)
  return head.toString('hex') + signatureOf(secret, head).toString('hex')
}

function isOurs(secret: string, nonce: string, nowMs: number): boolean {
  if (!/^[0-9a-f]{32}$/.test(nonce)) return false
  const bytes = Buffer.from(nonce, 'hex')
  if (!timingSafeEqual(bytes.subarray(8), signatureOf(secret, bytes.subarray(0, 8)))) return false
  const ageMs = nowMs - bytes.readUInt32BE() * 1_000
  return ageMs >= -SKEW_MS && ageMs <= LIFE_MS + SKEW_MS
}

function signatureOf(secret: string, head: Buffer): Buffer {
  return createHmac('sha256', deriveKey(secret, 'sign-in-with-x')).update(head).digest().subarray(0, 8)
}

/** What an offer says to a wallet that would rather show who it is than pay. */
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

/** The caller of a `SIGN-IN-WITH-X` header: a text that a wallet has signed for this house, lately and for one use. */
export async function signedIn(
  header: string,
  payments: Payments,
  { publicUrl, secret }: { publicUrl: string; secret: string },
): Promise<Caller> {
  const said = read(header)
  const now = Date.now()
  checkPlace(said, new URL(publicUrl), payments.network)
  checkTime(said, now)
  if (!isOurs(secret, said.nonce, now)) throw untrue('nonce')
  const { address, signature } = said
  if (!(await payments.facilitator.verifyMessage({ address, message: textOf(said), signature }))) {
    throw untrue('signature')
  }
  if (!(await payments.isFirstUse(said.nonce, new Date(now + 2 * LIFE_MS)))) throw untrue('nonce')
  return payments.callerOf(address)
}

function checkPlace({ domain, uri, chainId, version }: SignIn, home: URL, network: PaymentNetwork): void {
  if (domain !== home.host || originOf(uri) !== home.origin) throw untrue('domain')
  if (chainId !== network.caip2 || version !== '1') throw untrue('chainId')
}

function checkTime(said: SignIn, now: number): void {
  const issuedAt = timeOf(said.issuedAt)
  if (issuedAt > now + SKEW_MS || issuedAt < now - LIFE_MS) throw untrue('issuedAt')
  if (said.expirationTime !== undefined && timeOf(said.expirationTime) <= now) throw untrue('expirationTime')
  if (said.notBefore !== undefined && timeOf(said.notBefore) > now + SKEW_MS) throw untrue('notBefore')
}

/** The text of EIP-4361, letter by letter: that is what was signed. */
export function textOf(said: Omit<SignIn, 'signature' | 'type'>): string {
  const chain = said.chainId.replace('eip155:', '')
  return [
    `${said.domain} wants you to sign in with your Ethereum account:`,
    said.address,
    '',
    ...(said.statement === undefined ? [''] : [said.statement, '']),
    `URI: ${said.uri}`,
    `Version: ${said.version}`,
    `Chain ID: ${chain}`,
    `Nonce: ${said.nonce}`,
    `Issued At: ${said.issuedAt}`,
    ...(said.expirationTime === undefined ? [] : [`Expiration Time: ${said.expirationTime}`]),
    ...(said.notBefore === undefined ? [] : [`Not Before: ${said.notBefore}`]),
    ...(said.requestId === undefined ? [] : [`Request ID: ${said.requestId}`]),
    ...(said.resources === undefined ? [] : ['Resources:', ...said.resources.map(resource => `- ${resource}`)]),
  ].join('\n')
}

const WORDS = ['domain', 'address', 'uri', 'version', 'chainId', 'nonce', 'issuedAt', 'signature'] as const
const MORE_WORDS = ['statement', 'expirationTime', 'notBefore', 'requestId'] as const

function read(header: string): SignIn {
  let said: unknown
  try {
    said = JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
  } catch {
    throw untrue('form')
  }
  if (!isObject(said)) throw untrue('form')
  const { resources } = said
  const isWhole =
    WORDS.every(word => isLine(said[word])) &&
    MORE_WORDS.every(word => said[word] === undefined || isLine(said[word])) &&
    (resources === undefined || (Array.isArray(resources) && resources.every(isLine))) &&
    /^0x[0-9a-f]{40}$/i.test(String(said.address)) &&
    /^0x[0-9a-f]+$/i.test(String(said.signature))
  if (!isWhole) throw untrue('form')
  return said as unknown as SignIn
}

/** One line: a value that brings a line of its own would be another text than the one it seems to be. */
function isLine(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2_000 && !/[\r\n]/.test(value)
}

function timeOf(text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw untrue('form')
  return time
}

function originOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).origin : undefined
}

function untrue(part: string): Problem {
  return new Problem('UNAUTHENTICATED', { header: 'SIGN-IN-WITH-X', part })
}
