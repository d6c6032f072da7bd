import type { Rates } from '#kit'
import { type Db, rows, value } from '../db.ts'

export interface AdminSetting extends Record<string, unknown> {
  name: string
  kind: 'number' | 'boolean' | 'list'
  standard: unknown
  least: number | null
  most: number | null
  summary: string
  value: unknown
  is_changed: boolean
  updated_at: Date | null
}

export interface AdminChange extends Record<string, unknown> {
  id: bigint
  kind: 'setting' | 'price'
  name: string
  before: unknown
  after: unknown
  actor: string
  state: 'applied' | 'scheduled' | 'cancelled'
  created_at: Date
  due_at: Date
}

export function listAdminSettings(db: Db): Promise<AdminSetting[]> {
  return rows(db, 'select * from admin.setting order by name')
}

/** The newest changes, if wanted of one kind or of one name. */
export function listChanges(db: Db, kind: string, name: string | undefined, limit: number): Promise<AdminChange[]> {
  const text = `select * from admin.change where kind = $1 and ($2::text is null or name = $2)
    order by state = 'scheduled' desc, id desc limit $3`
  return rows(db, text, [kind, name ?? null, limit])
}

/** Changes a setting now, or when it is due; null restores its default. */
export async function setByOperator(db: Db, name: string, next: unknown, due: Date | undefined): Promise<void> {
  await value(db, 'select admin.set_setting($1, $2, $3)', [name, JSON.stringify(next), due ?? null])
}

export async function setPriceByOperator(
  db: Db,
  serviceKey: string,
  rates: Rates | undefined,
  due: Date | undefined,
): Promise<void> {
  const { rateMicros = null, baseMicros = null } = rates ?? {}
  await value(db, 'select console.set_price($1, $2, $3, $4)', [serviceKey, rateMicros, baseMicros, due ?? null])
}

/** Cancels a change that is to come, or undoes one that nothing has changed since. */
export async function undoChange(db: Db, id: bigint): Promise<void> {
  await value(db, 'select admin.undo_change($1)', [id])
}

export interface PreviewDay extends Record<string, unknown> {
  day: Date
  calls: bigint
  revenue_micros: bigint
  new_micros: bigint
}

interface Scale {
  numerator: bigint
  denominator: bigint
  floorMicros: bigint
  ceilingMicros: bigint
}

/** What the calls of the last seven days came to, and what they would have at prices of another proportion. */
export function previewPrice(db: Db, serviceKey: string, scale: Scale): Promise<PreviewDay[]> {
  const { numerator, denominator, floorMicros, ceilingMicros } = scale
  return rows(db, 'select * from console.preview_price($1, $2, $3, $4, $5)', [
    ...[serviceKey, numerator, denominator, floorMicros, ceilingMicros],
  ])
}

/** Makes the changes whose time has come; returns how many. */
export function applyDueChanges(db: Db): Promise<number> {
  return value(db, 'select setting.apply_due()')
}
