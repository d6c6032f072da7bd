import { type Static, Type } from 'typebox'
import { Problem } from '#kit'
import { findUnwritten, UNWRITTEN } from '../../formats/words/scripts.ts'

const Coordinate = { type: 'number', minimum: -10_000, maximum: 10_000 }
const Point = Type.Unsafe<readonly [x: number, y: number]>({
  ...{ type: 'array', items: Coordinate, minItems: 2, maxItems: 2 },
})

const Drawing = Type.Object(
  {
    width: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }),
    height: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }),
    strokes: Type.Array(Type.Array(Point, { minItems: 1, maxItems: 5_000 }), { maxItems: 200 }),
  },
  { additionalProperties: false },
)

export const MarkBody = Type.Object(
  {
    mode: Type.Enum(['draw', 'type', 'upload'] as const),
    data: Type.Unknown({
      description:
        'draw: `{ width, height, strokes: [[[x, y], …], …] }`. type: the name. upload: a PNG or JPEG as Base64.',
    }),
  },
  { additionalProperties: false },
)

export type GivenMark = Static<typeof MarkBody>
export type DrawnMark = Static<typeof Drawing>
export { Drawing }

const MIN_POINTS = 3
/** How far a line must reach, as a part of the width and height of what it is drawn on: a dot is no signature. */
const MIN_REACH = 0.04
const MAX_NAME = 100

/** Throws SIGNATURE_EMPTY for a blank, or what is not more than a dot. */
export function requireDrawn({ width, height, strokes }: DrawnMark): void {
  const points = strokes.flat()
  const reach = (values: number[]) => Math.max(...values) - Math.min(...values)
  if (points.length < MIN_POINTS) throw new Problem('SIGNATURE_EMPTY', { mode: 'draw', points: points.length })
  const across = reach(points.map(([x]) => x)) / width
  const down = reach(points.map(([, y]) => y)) / height
  if (Math.max(across, down) < MIN_REACH) throw new Problem('SIGNATURE_EMPTY', { mode: 'draw', reason: 'only a dot' })
}

/**
 * The fonts of sealed documents have few emoji and not every script; a box in place of a character is not what a person has
 * signed. Throws the code.
 */
export function requireWritable(
  text: string,
  field: string,
  code: 'FIELD_INVALID' | 'INVALID_PARAM' = 'FIELD_INVALID',
): void {
  const [emoji] = /\p{Emoji_Presentation}/u.exec(text) ?? []
  if (emoji) throw new Problem(code, { field, reason: 'emoji cannot be written into a document', emoji })
  const character = findUnwritten(text)
  if (character !== undefined)
    throw new Problem(code, { field, reason: 'the fonts of documents lack this character', character })
}

/** The text without what cannot be written: a title that is made of the name of a file. */
export function keepWritable(text: string): string {
  return text
    .replaceAll(/\p{Emoji_Presentation}|\u{fe0f}/gu, '')
    .replaceAll(UNWRITTEN, '')
    .trim()
}

/** A typed name. Throws SIGNATURE_EMPTY for one without letters. */
export function readTypedMark(data: unknown): string {
  const text = typeof data === 'string' ? data.trim() : ''
  if (!/[\p{L}\p{N}]/u.test(text)) throw new Problem('SIGNATURE_EMPTY', { mode: 'type' })
  if (!text.isWellFormed() || text.includes('\0') || [...text].length > MAX_NAME)
    throw new Problem('FIELD_INVALID', { field: 'signature', reason: `a name of at most ${MAX_NAME} characters` })
  requireWritable(text, 'signature')
  return text
}

/** The first letters of a name, for fields of initials. */
export function readInitials(name: string): string {
  const words = name.split(/[\s-]+/u).filter(word => /[\p{L}\p{N}]/u.test(word))
  const letters = words.map(word => [...new Intl.Segmenter().segment(word)][0]!.segment)
  return letters.slice(0, 4).join('').toUpperCase() || name.slice(0, 4)
}
