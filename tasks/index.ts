import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Operation } from './kit/operation.ts'

/** An operation with what its place says of it. */
export interface NamedOperation extends Operation {
  /** `pdf.rotate`, from tasks/pdf/rotate.ts. */
  name: string
  family: string
  path: string
}

const root = fileURLToPath(new URL('.', import.meta.url))
const NOT_FAMILIES = new Set(['kit', 'chores'])
/** Words a family shares stand in files of these names, which declare no operation. */
const SHARED = /(^|-)shape\.ts$/

export function operationNames(): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !NOT_FAMILIES.has(entry.name))
    .flatMap(family => filesOf(family.name).map(file => `${family.name}.${file.slice(0, -3)}`))
    .sort()
}

function filesOf(family: string): string[] {
  return readdirSync(`${root}${family}`).filter(file => file.endsWith('.ts') && !SHARED.test(file))
}

export async function loadOperation(name: string): Promise<NamedOperation> {
  const [family, verb] = name.split('.') as [string, string]
  const module: { default?: Operation } = await import(`./${family}/${verb}.ts`)
  const operation = module.default
  if (typeof operation?.run !== 'function') throw new Error(`tasks/${family}/${verb}.ts default-exports no operation`)
  return { ...operation, name, family, path: operation.path ?? `/v1/${family}/${verb}` }
}

export function loadOperations(): Promise<NamedOperation[]> {
  return Promise.all(operationNames().map(loadOperation))
}
