import { Type } from 'typebox'
import { BILLABLE_AUTH } from '../../intake/billable.ts'
import { type Route, route } from '../../route.ts'
import { create, priceCreation, revealSecrets } from './create.ts'
import { CreatedBaton, OPTION_FIELDS } from './fields/create.ts'
import { PresetField } from './fields/preset.ts'
import { QUOTED_PRICE } from './rates.ts'
import { VectorOptions } from './vector-options.ts'

const ERRORS = [
  'INVALID_PARAM',
  'INVALID_BASE64',
  'CONFLICTING_OPTIONS',
  'INVALID_EVENTS',
  'PAYMENT_REQUIRED',
  'PRECONFIG_NOT_FOUND',
  'INVALID_SHAPE',
  'INPUT_TOO_LARGE',
  'FLAG_DEPENDENCY_UNMET',
  'IPV6_NOT_SUPPORTED',
  'WEBHOOK_URL_REFUSED',
  'witness_key_not_configured',
] as const

const VECTOR_FIELD = { vector: Type.Optional(VectorOptions) }

interface CreateDeclaration {
  at: `POST /${string}`
  summary: string
  keywords: string
  /** Set for an address that names the preset; it overrides the one in the body. */
  preset?: string
  example: Record<string, unknown>
}

/** The route that creates a baton, at its own address or at that of a preset. */
export function createRoute({ at, summary, keywords, preset, example }: CreateDeclaration): Route {
  const vector = preset === undefined || preset === 'vector' ? VECTOR_FIELD : ({} as typeof VECTOR_FIELD)
  const presetField = preset === undefined ? PresetField : Type.String({ default: preset, maxLength: 64 })
  return route({
    at,
    summary,
    description:
      'Everything is paid for at once; reads and writes draw on the quotas and cost nothing more. A write or read that would pass a quota is refused.',
    keywords,
    auth: BILLABLE_AUTH,
    body: Type.Object({ preset: presetField, ...OPTION_FIELDS, ...vector }, { additionalProperties: false }),
    reply: { status: 201, schema: CreatedBaton },
    price: QUOTED_PRICE,
    errors: ERRORS,
    examples: [{ title: summary.replace(/\.$/, ''), input: example }],
    countUnits: ({ body }, context) => priceCreation(context, { ...body, preset: preset ?? body.preset }),
    settles: true,
    reveal: (result, context) => revealSecrets(context, result),
    handle: ({ caller, body, job }, context) =>
      create(context, caller, { ...body, preset: preset ?? body.preset }, job!),
  })
}
