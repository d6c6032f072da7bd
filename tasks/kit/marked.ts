import type { TSchema } from 'typebox'
import { FILE_RULE, type FileRule, OUTPUT_RULE, SECRET_RULE } from './schema.ts'

/** Where in a value a marked field stands: `files.2` for the third of a list. */
export type Place = string

type Change = (value: unknown, rule: never, place: Place) => unknown
type Shape = {
  properties?: Record<string, TSchema>
  items?: TSchema
  oneOf?: TSchema[]
  anyOf?: TSchema[]
  required?: string[]
  enum?: unknown[]
  const?: unknown
} & Record<string, unknown>

/** A copy of `value` in which every file source of the schema is replaced by what `change` makes of it, one after another. */
export function mapFiles(
  schema: TSchema,
  value: unknown,
  change: (source: unknown, rule: FileRule, place: Place) => unknown,
): Promise<unknown> {
  return mapMarked(schema, value, FILE_RULE, change as Change, '')
}

/** The same for the output files of a result; a manifest is one value, its list. */
export function mapOutputs(
  schema: TSchema,
  value: unknown,
  change: (output: unknown, rule: { contentTypes: string[] }, place: Place) => unknown,
): Promise<unknown> {
  return mapMarked(schema, value, OUTPUT_RULE, change as Change, '')
}

/** The same for secrets. */
export function mapSecrets(schema: TSchema, value: unknown, change: (secret: string) => unknown): Promise<unknown> {
  return mapMarked(schema, value, SECRET_RULE, change as Change, '')
}

const marks = new WeakMap<TSchema, Map<string, boolean>>()

/** Whether a schema has such a mark anywhere; asked at every call, answered from memory. */
export function isMarked(schema: TSchema, mark: string): boolean {
  const known = marks.get(schema) ?? new Map<string, boolean>()
  marks.set(schema, known)
  let answer = known.get(mark)
  if (answer === undefined) {
    const { properties, items, oneOf, anyOf } = schema as Shape
    const parts = [...Object.values(properties ?? {}), ...(items ? [items] : []), ...(oneOf ?? []), ...(anyOf ?? [])]
    answer = mark in schema || parts.some(part => isMarked(part, mark))
    known.set(mark, answer)
  }
  return answer
}

async function mapMarked(schema: TSchema, value: unknown, mark: string, change: Change, place: Place): Promise<unknown> {
  if (value === undefined || !isMarked(schema, mark)) return value
  const shape = schema as Shape
  if (mark in shape) return change(value, shape[mark] as never, place)
  if (Array.isArray(value)) return shape.items ? mapItems(shape.items, value, mark, change, place) : value
  if (typeof value !== 'object' || value === null) return value
  const arm = shape.oneOf ?? shape.anyOf
  if (arm) {
    const chosen = arm.find(option => fits(option as Shape, value as Record<string, unknown>))
    return chosen ? mapMarked(chosen, value, mark, change, place) : value
  }
  const copy: Record<string, unknown> = { ...value }
  for (const [name, field] of Object.entries(shape.properties ?? {})) {
    if (name in copy) copy[name] = await mapMarked(field, copy[name], mark, change, place ? `${place}.${name}` : name)
  }
  return copy
}

async function mapItems(items: TSchema, list: unknown[], mark: string, change: Change, place: Place): Promise<unknown[]> {
  const mapped: unknown[] = []
  for (const [index, item] of list.entries()) mapped.push(await mapMarked(items, item, mark, change, `${place}.${index}`))
  return mapped
}

/** Whether an object is of this arm: its required fields are there and its constants agree. */
function fits(arm: Shape, value: Record<string, unknown>): boolean {
  if ((arm.required ?? []).some(name => value[name] === undefined)) return false
  return Object.entries(arm.properties ?? {}).every(([name, field]) => {
    const { const: only, enum: words } = field as Shape
    if (value[name] === undefined) return true
    return only === undefined ? words === undefined || words.includes(value[name]) : only === value[name]
  })
}
