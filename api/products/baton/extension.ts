import { isUuid, Problem } from '#kit'
import { type Addition, extendBaton, readTerms } from '../../../sql/baton/lifecycle.ts'
import { quoteAddition } from '../../../tasks/products/baton/price.ts'
import { requireAffordable, requireBetween } from '../../../tasks/products/baton/resolve.ts'
import {
  type BatonShape,
  MAX_COUNT,
  MAX_DURATION_SECONDS,
  MAX_EGRESS_BYTES,
  MAX_SIZE_BYTES,
} from '../../../tasks/products/baton/tiers.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import type { RouteJob } from '../../route.ts'
import { readRates } from './rates.ts'
import { isToken } from './tokens.ts'

type Terms = NonNullable<Awaited<ReturnType<typeof readTerms>>>

/** The price of an extension, which depends on what the baton has and on the time that is left. */
export async function priceExtension(
  context: ApiContext,
  caller: Caller | undefined,
  id: string,
  addition: BatonShape,
): Promise<number> {
  return Number(priceOf(context, await findTerms(context, caller, id), addition))
}

/** Adds what was priced. If another extension came between, the price is not right any more, and nothing is charged. */
export async function extend(
  context: ApiContext,
  caller: Caller,
  id: string,
  addition: BatonShape & { tier?: string },
  job: RouteJob,
): Promise<Record<string, unknown>> {
  const terms = await findTerms(context, caller, id)
  if (priceOf(context, terms, addition) > job.chargeMicros) throw new Problem('VERSION_CONFLICT')
  const { tier, sizeBytes, durationSeconds, egressBytes, writes, reads } = addition
  const added: Addition = {
    ...{ tier, version: terms.version, sizeBytes: String(sizeBytes), durationSeconds: String(durationSeconds) },
    ...{ egressBytes: String(egressBytes), writes: String(writes), reads: String(reads) },
  }
  return extendBaton(context.db, job, id, added)
}

async function findTerms({ db }: ApiContext, caller: Caller | undefined, id: string): Promise<Terms> {
  if (isToken(id)) throw new Problem('FORBIDDEN', { reason: 'Only the owner can extend a baton.' })
  const terms = isUuid(id) ? await readTerms(db, id) : null
  if (!terms || (caller && caller.accountId !== terms.accountId)) throw new Problem('NOT_FOUND')
  if (!terms.isActive) throw new Problem('GONE')
  return terms
}

function priceOf({ settings }: ApiContext, terms: Terms, addition: BatonShape): bigint {
  const sizeBytes = BigInt(terms.sizeBytes)
  const remainingSeconds = BigInt(terms.remainingSeconds)
  requireBetween('sizeBytes', sizeBytes + addition.sizeBytes, 1n, MAX_SIZE_BYTES)
  requireBetween('durationSeconds', remainingSeconds + addition.durationSeconds, 1n, MAX_DURATION_SECONDS)
  requireBetween('egressBytes', BigInt(terms.egressBytes) + addition.egressBytes, 0n, MAX_EGRESS_BYTES)
  requireBetween('writesAllowed', BigInt(terms.writes) + addition.writes, 0n, MAX_COUNT)
  requireBetween('readsAllowed', BigInt(terms.reads) + addition.reads, 0n, MAX_COUNT)
  const quote = quoteAddition({ sizeBytes, remainingSeconds }, addition, readRates(settings))
  requireAffordable(quote)
  return quote.amountMicros
}
