import { Problem } from '#kit'
import { createBaton } from '../../../sql/baton/lifecycle.ts'
import { type BatonShape, startNow } from '../../../tasks/products/baton/tiers.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import type { RouteJob } from '../../route.ts'
import { decodeContent, storeContent } from './content.ts'
import type { CreateBody } from './fields/create.ts'
import { requireText, resolveBody, specifyBaton } from './specify.ts'
import { revealToken } from './tokens.ts'
import { revealTrigger } from './triggers.ts'
import { openUpload } from './upload.ts'

/** Checks all that can be known before the baton is paid for, and returns its price. */
export async function priceCreation(context: ApiContext, body: CreateBody): Promise<number> {
  const { behaviour, shape, quote } = await resolveBody(context, body)
  requireFittingContent(body, shape)
  requireText(behaviour, (body.contentEncoding ?? 'utf-8') === 'utf-8', 'contentEncoding')
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
  const { shape, shown, stored, tokens, triggers } = await specifyBaton(context, caller, body)
  const times = startNow(shape.durationSeconds)
  const until = new Date(times.expiresAt)
  const upload = body.requestPresignedUpload
    ? await openUpload(context, caller, { sizeBytes: shape.sizeBytes, contentType: body.contentType, until })
    : undefined
  const written =
    body.content === undefined
      ? undefined
      : await storeContent(context, caller.accountId, { ...body, content: body.content })
  const { content, ...entry } = written ?? {}
  const spec = {
    ...{ ...stored, ...times, contentType: body.contentType },
    ...{ uploadKey: upload?.key, uploadUntil: upload?.until, written: written && entry },
  }
  const result = {
    ...{ ...shown, ...times },
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
