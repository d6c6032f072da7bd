import { createHash, createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { Problem } from '#kit'
import { deriveKey, hashToken } from '../../../ops/secrets.ts'
import { addPasskey, findPasskey, type Operator, usePasskey } from '../../../sql/operator.ts'
import { useNonce } from '../../../sql/payment.ts'
import type { ConsoleContext } from '../context.ts'

/** How long a browser may take to answer a challenge. */
const CHALLENGE_MS = 5 * 60_000

type RegistrationResponse = Parameters<typeof verifyRegistrationResponse>[0]['response']
type AuthenticationResponse = Parameters<typeof verifyAuthenticationResponse>[0]['response']

/** Browsers bind passkeys to a name; an address of numbers has none. */
export function canUsePasskeys({ config }: ConsoleContext): boolean {
  return isIP(new URL(config.console.url).hostname.replaceAll(/[[\]]/g, '')) === 0
}

/** What the browser signs. It carries its time, so that no challenge is stored. */
function makeChallenge(secret: string, purpose: string, nowMs: number = Date.now()): string {
  const time = Math.floor(nowMs / CHALLENGE_MS)
  return createHmac('sha256', deriveKey(secret, 'passkey challenge')).update(`${purpose}\n${time}`).digest('base64url')
}

function isChallenge(secret: string, purpose: string): (challenge: string) => boolean {
  const now = Date.now()
  return challenge => [now, now - CHALLENGE_MS].some(time => makeChallenge(secret, purpose, time) === challenge)
}

function siteOf({ config }: ConsoleContext): { expectedOrigin: string; expectedRPID: string } {
  const { origin, hostname } = new URL(config.console.url)
  return { expectedOrigin: origin, expectedRPID: hostname }
}

export function offerPasskey(context: ConsoleContext, operator: Operator, link: string) {
  const { expectedRPID: rpID } = siteOf(context)
  return generateRegistrationOptions({
    ...{ rpName: 'coinop console', rpID, userName: operator.name, userID: Buffer.from(operator.id) },
    challenge: Buffer.from(makeChallenge(context.config.secret, link), 'base64url'),
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Adds the passkey that the browser made for a link. */
export async function acceptPasskey(
  context: ConsoleContext,
  link: { token: string; hash: Buffer },
  answer: { response: RegistrationResponse; name: string },
): Promise<boolean> {
  const { secret } = context.config
  const verified = await verifyRegistrationResponse({
    response: answer.response,
    expectedChallenge: isChallenge(secret, link.token),
    ...siteOf(context),
    requireUserVerification: true,
  }).catch(refuse)
  if (!verified.verified) return refuse()
  const { id, publicKey, counter } = verified.registrationInfo.credential
  return await addPasskey(context.db, link.hash, { id, publicKey, counter, name: answer.name })
}

/** The challenge of a sign-in belongs to the browser that asked for it, by the word in its cookie. */
export function askForPasskey(context: ConsoleContext, word: string) {
  return generateAuthenticationOptions({
    rpID: siteOf(context).expectedRPID,
    challenge: Buffer.from(makeChallenge(context.config.secret, `sign-in ${word}`), 'base64url'),
    userVerification: 'required',
  })
}

/** The operator whose passkey answered. */
export async function checkPasskey(
  context: ConsoleContext,
  word: string,
  response: AuthenticationResponse | null | undefined,
): Promise<string> {
  if (typeof response?.id !== 'string' || !/^[\w-]+$/.test(response.id)) return refuse()
  const found = await findPasskey(context.db, response.id)
  if (!found) return refuse()
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: isChallenge(context.config.secret, `sign-in ${word}`),
    ...siteOf(context),
    requireUserVerification: true,
    credential: { id: response.id, publicKey: new Uint8Array(found.public_key), counter: Number(found.counter) },
  }).catch(refuse)
  const { newCounter } = verified.authenticationInfo
  if (!verified.verified || !(await isFirst(context, response))) return refuse()
  if (!(await usePasskey(context.db, response.id, newCounter))) return refuse()
  return found.operator_id
}

/** Many passkeys do not count, so each signature is taken once. */
function isFirst({ db }: ConsoleContext, { response }: AuthenticationResponse): Promise<boolean> {
  const nonce = createHash('sha256').update(response.signature).digest('base64url')
  return useNonce(db, `passkey ${nonce}`, new Date(Date.now() + 2 * CHALLENGE_MS))
}

/** A word of the browser that a challenge is bound to. */
export function browserWord(secret: string, address: string, agent: string): string {
  return hashToken(secret, 'passkey browser', `${address}\n${agent}`).toString('base64url')
}

function refuse(): never {
  throw new Problem('SIGN_IN_FAILED', { reason: 'The passkey did not sign what was asked.' })
}
