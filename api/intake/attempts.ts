import type { FastifyRequest } from 'fastify'
import type { Floor } from '../floor.ts'
import { addressBucket, rateProblem } from './rate-limit.ts'

/** Counts one try to sign in: what can be guessed at, or makes us send mail, has limits of its own. */
export function countTry({ limits, settings }: Floor, { ip }: FastifyRequest): void {
  const allowance = limits.take(`sign-in:${addressBucket(ip)}`, settings.get('rate.sign_in_per_minute'))
  if (allowance.isOver) throw rateProblem(allowance)
}

export function countMail({ limits, settings }: Floor, email: string): void {
  const allowance = limits.take(`mail:${email}`, settings.get('rate.mail_per_minute'))
  if (allowance.isOver) throw rateProblem(allowance)
}
