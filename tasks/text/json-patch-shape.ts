import { Problem } from '#kit'
import { isRecord, sameJson } from './tokens-shape.ts'

export interface JsonStep {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  path: string
  from?: string
  value?: unknown
}

/** RFC 6902. All steps or none. */
export function applyJsonPatch(document: unknown, steps: readonly JsonStep[]): unknown {
  const root = { '': structuredCopy(document) } as Record<string, unknown>
  for (const [index, step] of steps.entries()) {
    const refuse = (detail: string) => new Problem('PATCH_REJECTED', { index, op: step.op, path: step.path, detail })
    applyStep(root, step, refuse)
  }
  return root['']
}

type Refuse = (detail: string) => Problem

function applyStep(root: Record<string, unknown>, step: JsonStep, refuse: Refuse): void {
  const path = pointer(step.path, refuse)
  if (step.op === 'move' || step.op === 'copy') transfer(root, path, step, refuse)
  else if (step.op === 'remove') take(root, path, refuse)
  else {
    if (!('value' in step)) throw refuse('value is missing')
    if (step.op === 'add') insert(root, path, structuredCopy(step.value), refuse)
    else if (step.op === 'replace') replace(root, path, structuredCopy(step.value), refuse)
    else if (!sameJson(read(root, path, refuse), step.value)) throw refuse('the value is another')
  }
}

function transfer(root: Record<string, unknown>, path: string[], step: JsonStep, refuse: Refuse): void {
  if (step.from === undefined) throw refuse('from is missing')
  const from = pointer(step.from, refuse)
  const value = read(root, from, refuse)
  if (step.op === 'copy') {
    insert(root, path, structuredCopy(value), refuse)
    return
  }
  const isInside = step.path !== step.from && `${step.path}/`.startsWith(`${step.from}/`)
  if (isInside) throw refuse('moves into itself')
  take(root, from, refuse)
  insert(root, path, value, refuse)
}

function replace(root: unknown, path: string[], value: unknown, refuse: Refuse): void {
  read(root, path, refuse)
  const [holder, key] = holderOf(root, path, refuse)
  if (Array.isArray(holder)) holder[Number(key)] = value
  else set(holder, key, value)
}

function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, structuredCopy(item)]))
}

function pointer(path: string, refuse: Refuse): string[] {
  if (path !== '' && !path.startsWith('/')) throw refuse('not a JSON pointer')
  if (/~(?![01])/.test(path)) throw refuse('not a JSON pointer')
  return path.split('/').map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function child(holder: unknown, key: string, refuse: Refuse): unknown {
  if (Array.isArray(holder)) return holder[indexIn(holder, key, holder.length - 1, refuse)]
  if (!isRecord(holder) || !Object.hasOwn(holder, key)) throw refuse('no such place')
  return holder[key]
}

function indexIn(list: unknown[], key: string, most: number, refuse: Refuse): number {
  if (key === '-' && most === list.length) return list.length
  if (!/^(?:0|[1-9]\d{0,9})$/.test(key) || Number(key) > most) throw refuse('no such place')
  return Number(key)
}

function read(root: unknown, path: string[], refuse: Refuse): unknown {
  return path.reduce((value, key) => child(value, key, refuse), root)
}

function holderOf(root: unknown, path: string[], refuse: Refuse): [unknown[] | Record<string, unknown>, string] {
  const holder = read(root, path.slice(0, -1), refuse)
  if (!Array.isArray(holder) && !isRecord(holder)) throw refuse('no such place')
  return [holder, path.at(-1)!]
}

function insert(root: unknown, path: string[], value: unknown, refuse: Refuse): void {
  const [holder, key] = holderOf(root, path, refuse)
  if (Array.isArray(holder)) holder.splice(indexIn(holder, key, holder.length, refuse), 0, value)
  else set(holder, key, value)
}

function take(root: unknown, path: string[], refuse: Refuse): void {
  read(root, path, refuse)
  const [holder, key] = holderOf(root, path, refuse)
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

/** Also under the name `__proto__`, which a plain assignment would take for something else. */
function set(holder: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

/** RFC 7396. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const merged = new Map(Object.entries(isRecord(target) ? target : {}))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, applyMergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}
