import { newId, Problem } from '#kit'
import { openSigningKey } from '../../ops/witness/keys.ts'
import { createBaton } from '../../sql/baton/terms.ts'
import { PRESETS, type PresetName } from '../../tasks/formats/baton/presets.ts'
import { resolveBaton } from '../../tasks/formats/baton/resolve.ts'
import type { BatonShape } from '../../tasks/formats/baton/tiers.ts'
import type { ApiContext } from '../context.ts'
import type { Caller } from '../intake/identity/caller.ts'
import type { RouteJob } from '../route.ts'
import { requireBatonEvents } from '../webhooks/registration.ts'
import { decodeContent, storeContent } from './content.ts'
import type { CreateBody, TokenBody } from './create-fields.ts'
import { readRates, showQuote } from './rates.ts'
import { newToken, readLimits, revealToken } from './tokens.ts'
import { revealTrigger, sealTriggers } from './triggers.ts'
import { openUpload } from './upload.ts'

/** Checks all that can be known before the baton is paid for, and returns its price. */
export async function priceCreation({ settings, db, config }: ApiContext, body: CreateBody): Promise<number> {
  const { behaviour, hasWitness, shape, quote } = resolveBaton(body, readRates(settings))
  requireFittingContent(body, shape)
  if (behaviour !== 'single' && (body.contentEncoding ?? 'utf-8') !== 'utf-8') {
    throw new Problem('INVALID_PARAM', { field: 'contentEncoding', allowed: ['utf-8'] })
  }
  for (const token of body.tokens ?? []) readLimits(token)
  for (const { events } of body.eventTriggers ?? []) requireBatonEvents(events)
  // What could not be signed later is not sold.
  if (hasWitness) await openSigningKey(db, config.secret)
  return Number(quote.amountMicros)
}

function requireFittingContent(body: CreateBody, { sizeBytes: max }: BatonShape): void {
  if (body.content === undefined) return
  if (body.requestPresignedUpload)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['content', 'requestPresignedUpload'] })
  const sizeBytes = decodeContent({ ...body, content: body.content }).length
  if (BigInt(sizeBytes) > max) throw new Problem('INVALID_SHAPE', { field: 'content', sizeBytes, max: String(max) })
}

/** Creates what was priced. The bytes are stored first; all the rest is one statement, which also charges. */
export async function create(context: ApiContext, caller: Caller, body: CreateBody, job: RouteJob): Promise<object> {
  const { behaviour, hasWitness, tier, shape, quote } = resolveBaton(body, readRates(context.settings))
  const id = newId()
  const createdAt = new Date()
  const expiresAt = new Date(createdAt.getTime() + Number(shape.durationSeconds) * 1_000)
  const tokens = chooseTokens(body).map(token => newToken(context, token))
  const triggers = await sealTriggers(context, caller, body.eventTriggers ?? [])
  const upload = body.requestPresignedUpload
    ? await openUpload(context, caller, { sizeBytes: shape.sizeBytes, contentType: body.contentType, until: expiresAt })
    : undefined
  const written =
    body.content === undefined
      ? undefined
      : await storeContent(context, caller.accountId, { ...body, content: body.content })
  const { content, ...entry } = written ?? {}
  const baton = {
    ...{ id, preset: body.preset, tier, behaviour },
    ...{ sizeBytes: String(shape.sizeBytes), egressBytes: String(shape.egressBytes) },
    ...{ createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString(), quote: showQuote(quote) },
  }
  const {
    name,
    description,
    tags,
    acl,
    schemaRef,
    contentType,
    rateLimits,
    onExpiration = 'tombstone_then_delete',
  } = body
  const spec = {
    ...baton,
    ...{ name, description, tags, acl, schemaRef, contentType, rateLimits, onExpiration },
    ...{ writes: String(shape.writes), reads: String(shape.reads), burns: burns(body), hasWitness },
    ...{ uploadKey: upload?.key, uploadUntil: upload && expiresAt, written: written && entry },
    ...{ tokens: tokens.map(({ stored }) => stored), triggers: triggers.map(({ stored }) => stored) },
  }
  const result = {
    ...baton,
    ...{ maxWrites: Number(shape.writes), maxReads: Number(shape.reads), tokens: tokens.map(({ kept }) => kept) },
    ...(triggers.length > 0 && { eventTriggers: triggers.map(({ kept }) => kept) }),
    ...(upload && { upload: upload.form }),
  }
  await createBaton(context.db, job, spec, content, result)
  return result
}

interface KeptResult {
  tokens: { writer: string; type: string }[]
  eventTriggers?: { id: string; url: string; events: string[]; description: string | null }[]
}

/** The answer that creates a baton is kept for its repeats without tokens and secrets, which follow from their ids. */
export function revealSecrets(context: ApiContext, kept: unknown): object {
  const { tokens, eventTriggers, ...rest } = kept as KeptResult
  return {
    ...rest,
    tokens: tokens.map(token => revealToken(context, token)),
    ...(eventTriggers && { eventTriggers: eventTriggers.map(trigger => revealTrigger(context, trigger)) }),
  }
}

/** A pass without tokens of the caller's gets one that can be read once. */
function chooseTokens({ preset, tokens }: CreateBody): TokenBody[] {
  const reads = findBurnReads(preset)
  if (tokens || reads === undefined) return tokens ?? []
  return [{ type: 'read', reads_allowed: reads }]
}

function burns({ preset, deleteOnAllTokensConsumed }: CreateBody): boolean {
  return deleteOnAllTokensConsumed ?? findBurnReads(preset) !== undefined
}

function findBurnReads(preset: string): number | undefined {
  const found = PRESETS[preset as PresetName]
  return 'burnsAfterReads' in found ? found.burnsAfterReads : undefined
}
