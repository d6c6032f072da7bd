import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PREFIX, Problem } from '#kit'
import type { Config } from '../../ops/config.ts'
import { hashWord } from '../../ops/secrets.ts'
import { closeSession, findSession, openSession } from '../../sql/session.ts'
import type { Floor } from '../floor.ts'
import type { Caller } from './authenticate.ts'

export const SESSION_COOKIE = `${PREFIX}_session`

/** A browser that is signed in: who it is, and the word its cookie holds. */
export interface Session {
  caller: Caller
  word: string
}

/** The session of a request's cookie; nothing without one that holds. */
export async function sessionOf({ db, config }: Floor, request: FastifyRequest): Promise<Session | undefined> {
  const word = cookieIn(request, SESSION_COOKIE)
  if (word === undefined || !/^[\w-]{43}$/.test(word)) return undefined
  const owner = await findSession(db, hashOf(config, word))
  if (!owner) return undefined
  if (owner.isSuspended) throw new Problem('ACCOUNT_SUSPENDED')
  const { accountId, isTest } = owner
  const mode = isTest ? 'test' : 'live'
  return { word, caller: { accountId, credential: `session:${accountId}`, mode, via: 'session' } }
}

/** A new word with every sign-in: one that was planted before it is worth nothing after. */
export async function beginSession(
  { db, config }: Floor,
  request: FastifyRequest,
  reply: FastifyReply,
  accountId: string,
): Promise<void> {
  const word = randomBytes(32).toString('base64url')
  const former = cookieIn(request, SESSION_COOKIE)
  await openSession(db, hashOf(config, word), accountId, former === undefined ? undefined : hashOf(config, former))
  setCookie(config, reply, { name: SESSION_COOKIE, value: word })
}

export async function endSession({ db, config }: Floor, word: string, reply: FastifyReply): Promise<void> {
  await closeSession(db, hashOf(config, word))
  setCookie(config, reply, { name: SESSION_COOKIE, value: '', maxAgeSeconds: 0 })
}

export function cookieIn(request: FastifyRequest, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, ...rest] = pair.trim().split('=')
    if (key === name) return rest.join('=')
  }
  return undefined
}

/** Without an age it ends with the browser, and on our side after twelve idle hours. */
export function setCookie(
  config: Config,
  reply: FastifyReply,
  { name, value, maxAgeSeconds }: { name: string; value: string; maxAgeSeconds?: number },
): void {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  const secure = isLoopback(config.publicUrl) ? '' : '; Secure'
  const cookie = `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${age}${secure}`
  const others = [reply.getHeader('set-cookie') ?? []].flat().map(String)
  reply.header('set-cookie', [...others.filter(other => !other.startsWith(`${name}=`)), cookie])
}

function isLoopback(url: string): boolean {
  return /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(url)
}

function hashOf({ secret }: Config, word: string): Buffer {
  return hashWord(secret, 'session', word)
}
