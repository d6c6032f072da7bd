import { Type } from 'typebox'
import { Choice } from '#kit'
import { PRESET_NAMES, PRESETS } from '../../../../tasks/products/baton/presets.ts'
import { type BatonShape, TIER_SHAPES, TIERS } from '../../../../tasks/products/baton/tiers.ts'

const AmountField = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]{1,18}$' })], { description })

const CustomShape = Type.Object(
  {
    sizeBytes: AmountField('The most that it holds, in bytes.'),
    durationSeconds: AmountField('How long it can be used, from its creation.'),
    maxEgressBytes: AmountField('How many bytes can be read from it in all.'),
    writesAllowed: Type.Optional(Type.Integer({ minimum: 0, description: 'Writes; 1,000 if left out.' })),
    readsAllowed: Type.Optional(Type.Integer({ minimum: 0, description: 'Reads; 10,000 if left out.' })),
  },
  { additionalProperties: false, description: 'Your own shape, with the tier `custom` or none.' },
)

const Flags = Type.Object(
  {
    hashChaining: Type.Optional(Type.Boolean({ description: 'Link the entries of a log by hashes.' })),
    witness: Type.Optional(
      Type.Boolean({
        description: 'Pay for a witness of the content now: it is signed for free later. Part of a chained baton.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Each tier with its size and its time, which are what callers choose by. */
function describeTiers(): string {
  const days = (seconds: bigint) => (seconds === 86_400n ? '1 day' : `${seconds / 86_400n} days`)
  const shapes = TIERS.map(tier => {
    const { sizeBytes, durationSeconds, egressBytes } = TIER_SHAPES[tier]
    return `${tier} ${describeBytes(sizeBytes)} for ${days(durationSeconds)} with ${describeBytes(egressBytes)} of reading`
  })
  return `A bundled shape: ${shapes.join(', ')}. Prices are at GET /v1/baton/prices.`
}

function describeBytes(bytes: bigint): string {
  const mebibytes = Number(bytes) / 2 ** 20
  if (mebibytes < 1) return `${Number(bytes) / 2 ** 10} KiB`
  return mebibytes < 1_024 ? `${mebibytes} MiB` : `${mebibytes / 1_024} GiB`
}

/** What decides the price of a baton. */
export const CHOICE_FIELDS = {
  tier: Type.Optional(Choice([...TIERS, 'custom'], { description: describeTiers() })),
  customShape: Type.Optional(CustomShape),
  flags: Type.Optional(Flags),
}

export const PresetField = Type.String({
  maxLength: 64,
  description: `What it is for: ${PRESET_NAMES.map(name => `${name} (${PRESETS[name].summary.replace(/\.$/, '').replaceAll(';', ',')})`).join(', ')}.`,
  examples: PRESET_NAMES,
})

const Digits = Type.String({ pattern: '^[0-9]+$' })

export const ShapeReply = Type.Object({
  sizeBytes: Digits,
  durationSeconds: Digits,
  maxEgressBytes: Digits,
  writesAllowed: Type.Integer(),
  readsAllowed: Type.Integer(),
})

export const QuoteReply = Type.Object({
  amountMicros: Digits,
  lines: Type.Array(
    Type.Object({
      line: Type.String(),
      quantity: Digits,
      rateMicros: Digits,
      per: Type.String(),
      amountMicros: Digits,
    }),
  ),
})

export function showShape({ sizeBytes, durationSeconds, egressBytes, writes, reads }: BatonShape) {
  return {
    sizeBytes: String(sizeBytes),
    durationSeconds: String(durationSeconds),
    maxEgressBytes: String(egressBytes),
    writesAllowed: Number(writes),
    readsAllowed: Number(reads),
  }
}
