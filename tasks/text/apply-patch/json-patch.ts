import { Errors } from 'typebox/schema'
import { Problem, type Warning } from '#kit'
import { isRecord, isSameJson, parseJson } from '../../formats/diff/json.ts'
import { MAX_JSON_DEPTH } from '../../formats/json/depth.ts'
import { holdsRoundedNumber } from '../../formats/json/numbers.ts'
import { Steps } from './input.ts'

interface JsonPatchStep {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  path: string
  from?: string
  value?: unknown
}

const SEND_AS_TEXT = 'whole numbers beyond 2^53 keep their digits in a jsonPatch that is given as text'

/** Reads a patch that is given as a text, with every digit of its numbers. */
export function readJsonPatch(patch: string | JsonPatchStep[]): JsonPatchStep[] {
  if (typeof patch !== 'string') return patch
  const steps = parseJson(patch, { field: 'jsonPatch' })
  const [, errors] = Errors(Steps, steps)
  if (errors.length === 0) return steps as JsonPatchStep[]
  const [{ instancePath, message }] = errors as [(typeof errors)[number]]
  throw new Problem('PATCH_INVALID', { field: 'jsonPatch', detail: `${instancePath} ${message}`.trim() })
}

/** Warns of numbers that may be other than the caller's, since a body is read with doubles. */
export function warnOfRounded(patch: unknown): Warning[] {
  return holdsRoundedNumber(patch) ? [{ code: 'NUMBER_ROUNDED', message: `Of the patch, ${SEND_AS_TEXT}.` }] : []
}

/** What all copies of one patch may weigh: steps that copy what was copied before would else double it without end. */
const MAX_COPIED_WEIGHT = 16 * 2 ** 20

/** Applies an RFC 6902 patch: all steps or none. */
export function applyJsonPatch(document: unknown, steps: readonly JsonPatchStep[]): unknown {
  const root = { '': copyJson(document) } as Record<string, unknown>
  let copied = 0
  for (const [index, step] of steps.entries()) {
    const createProblem = (detail: string) =>
      new Problem('PATCH_REJECTED', { index, op: step.op, path: step.path, detail })
    if (step.op === 'copy') copied += weighCopy(root, step, createProblem)
    if (copied > MAX_COPIED_WEIGHT) throw new Problem('OUTPUT_TOO_LARGE', { index, limit: MAX_COPIED_WEIGHT })
    applyStep(root, step, createProblem)
  }
  return root['']
}

type CreateProblem = (detail: string) => Problem

function applyStep(root: Record<string, unknown>, step: JsonPatchStep, createProblem: CreateProblem): void {
  const path = parsePointer(step.path, createProblem)
  if (step.op === 'move' || step.op === 'copy') transfer(root, path, step, createProblem)
  else if (step.op === 'remove') remove(root, path, createProblem)
  else {
    if (!('value' in step)) throw createProblem('value is missing')
    if (step.op === 'add') insert(root, path, copyJson(step.value), createProblem)
    else if (step.op === 'replace') replace(root, path, copyJson(step.value), createProblem)
    else if (!isSameJson(read(root, path, createProblem), step.value)) throw createProblem(describeDifference(step))
  }
}

function describeDifference({ value }: JsonPatchStep): string {
  return holdsRoundedNumber(value) ? `the value differs; ${SEND_AS_TEXT}` : 'the value differs'
}

/** A value weighs what it takes to write it, and something for itself. */
const VALUE_WEIGHT = 8

function weighCopy(root: Record<string, unknown>, { from }: JsonPatchStep, createProblem: CreateProblem): number {
  return from === undefined ? 0 : weigh(read(root, parsePointer(from, createProblem), createProblem))
}

function weigh(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + weigh(item), VALUE_WEIGHT)
  if (!isRecord(value)) return VALUE_WEIGHT + (typeof value === 'string' ? value.length : 0)
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + weigh(item), VALUE_WEIGHT)
}

function transfer(
  root: Record<string, unknown>,
  path: string[],
  step: JsonPatchStep,
  createProblem: CreateProblem,
): void {
  if (step.from === undefined) throw createProblem('from is missing')
  const from = parsePointer(step.from, createProblem)
  const value = read(root, from, createProblem)
  if (step.op === 'copy') {
    insert(root, path, copyJson(value), createProblem)
    return
  }
  const isInside = step.path !== step.from && `${step.path}/`.startsWith(`${step.from}/`)
  if (isInside) throw createProblem('a value cannot be moved into itself')
  remove(root, from, createProblem)
  insert(root, path, value, createProblem)
}

function replace(root: unknown, path: string[], value: unknown, createProblem: CreateProblem): void {
  checkDepth(value, path.length, createProblem)
  read(root, path, createProblem)
  const [parent, key] = findParent(root, path, createProblem)
  if (Array.isArray(parent)) parent[Number(key)] = value
  else setMember(parent, key, value)
}

/** Keeps the document as shallow as one that is read, so that it can be walked and written recursively. */
function checkDepth(value: unknown, depth: number, createProblem: CreateProblem): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_JSON_DEPTH) throw createProblem(`the document would nest deeper than ${MAX_JSON_DEPTH}`)
  for (const item of Object.values(value)) checkDepth(item, depth + 1, createProblem)
}

function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyJson(item)]))
}

function parsePointer(path: string, createProblem: CreateProblem): string[] {
  if (path !== '' && !path.startsWith('/')) throw createProblem('not a JSON pointer')
  if (/~(?![01])/.test(path)) throw createProblem('not a JSON pointer')
  return path.split('/').map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function getChild(parent: unknown, key: string, createProblem: CreateProblem): unknown {
  if (Array.isArray(parent)) return parent[parseIndex(parent, key, parent.length - 1, createProblem)]
  if (!isRecord(parent) || !Object.hasOwn(parent, key)) throw createProblem('the path does not exist')
  return parent[key]
}

function parseIndex(list: unknown[], key: string, maxIndex: number, createProblem: CreateProblem): number {
  if (key === '-' && maxIndex === list.length) return list.length
  if (!/^(?:0|[1-9]\d{0,9})$/.test(key) || Number(key) > maxIndex) throw createProblem('the path does not exist')
  return Number(key)
}

function read(root: unknown, path: string[], createProblem: CreateProblem): unknown {
  return path.reduce((value, key) => getChild(value, key, createProblem), root)
}

function findParent(
  root: unknown,
  path: string[],
  createProblem: CreateProblem,
): [unknown[] | Record<string, unknown>, string] {
  const parent = read(root, path.slice(0, -1), createProblem)
  if (!Array.isArray(parent) && !isRecord(parent)) throw createProblem('the path does not exist')
  return [parent, path.at(-1)!]
}

function insert(root: unknown, path: string[], value: unknown, createProblem: CreateProblem): void {
  checkDepth(value, path.length, createProblem)
  const [parent, key] = findParent(root, path, createProblem)
  if (Array.isArray(parent)) parent.splice(parseIndex(parent, key, parent.length, createProblem), 0, value)
  else setMember(parent, key, value)
}

function remove(root: unknown, path: string[], createProblem: CreateProblem): void {
  read(root, path, createProblem)
  const [parent, key] = findParent(root, path, createProblem)
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else delete parent[key]
}

/** Sets a member, even one named `__proto__`, for which an assignment would change the prototype. */
function setMember(parent: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Applies an RFC 7396 merge patch. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const merged = new Map(Object.entries(isRecord(target) ? target : {}))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, applyMergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}
