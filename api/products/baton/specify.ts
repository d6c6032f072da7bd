import { newId, Problem } from '#kit'
import { PRESETS, type PresetName } from '../../../tasks/products/baton/presets.ts'
import { resolveBaton } from '../../../tasks/products/baton/resolve.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { requireBatonEvents } from '../webhook/index.ts'
import type { CreateBody, NewTokenFields } from './fields/create.ts'
import { readRates, showQuote } from './rates.ts'
import { newToken, readLimits } from './tokens.ts'
import { sealTriggers } from './triggers.ts'
import { checkVectorOptions, readVectorTerms } from './vector-options.ts'

/** A baton without its first content. */
type BatonBody = Omit<CreateBody, 'content' | 'contentEncoding' | 'contentType' | 'requestPresignedUpload'>

/** Checks all that can be known of a baton before it is paid for, and returns what it comes to. */
export async function resolveBody({ settings, signing }: ApiContext, body: BatonBody) {
  const resolved = resolveBaton(body, readRates(settings))
  checkVectorOptions(body)
  for (const token of body.tokens ?? []) readLimits(token)
  for (const { events } of body.eventTriggers ?? []) requireBatonEvents(events)
  // What could not be signed later is not sold.
  if (resolved.hasWitness) await signing.requireKey()
  return resolved
}

/** What is stored of a new baton, except its times and its content; the secrets of tokens and triggers are shown once. */
export async function specifyBaton(context: ApiContext, caller: Caller, body: BatonBody) {
  const { behaviour, hasWitness, tier, shape, quote } = resolveBaton(body, readRates(context.settings))
  const tokens = chooseTokens(body).map(token => newToken(context, token))
  const triggers = await sealTriggers(context, caller, body.eventTriggers ?? [])
  const { name, description, tags, acl, schemaRef, rateLimits, onExpiration = 'tombstone_then_delete' } = body
  const shown = {
    ...{ id: newId(), preset: body.preset, tier, behaviour },
    ...{ sizeBytes: String(shape.sizeBytes), egressBytes: String(shape.egressBytes), quote: showQuote(quote) },
    ...(behaviour === 'vectors' && { vector: readVectorTerms(body.vector ?? {}) }),
  }
  const stored = {
    ...{ ...shown, name, description, tags, acl, schemaRef, rateLimits, onExpiration },
    ...{ writes: String(shape.writes), reads: String(shape.reads), burns: burns(body), hasWitness },
    ...{ tokens: tokens.map(token => token.stored), triggers: triggers.map(trigger => trigger.stored) },
  }
  return { shape, shown, stored, tokens, triggers }
}

/** A pass without tokens of the caller's gets one that can be read once. */
function chooseTokens({ preset, tokens }: BatonBody): NewTokenFields[] {
  const reads = findBurnReads(preset)
  if (tokens || reads === undefined) return tokens ?? []
  return [{ type: 'read', reads_allowed: reads }]
}

function burns({ preset, deleteOnAllTokensConsumed }: BatonBody): boolean {
  return deleteOnAllTokensConsumed ?? findBurnReads(preset) !== undefined
}

function findBurnReads(preset: string): number | undefined {
  const found = PRESETS[preset as PresetName]
  return 'burnsAfterReads' in found ? found.burnsAfterReads : undefined
}

/** Only a file may be other than text. */
export function requireText(behaviour: string, isText: boolean, field: string): void {
  if (behaviour !== 'single' && !isText) throw new Problem('INVALID_PARAM', { field, allowed: ['utf-8'] })
}
