import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Operation } from './kit/operation.ts'

/** An operation with the names that follow from the path of its file. */
export interface NamedOperation extends Operation {
  /** `pdf.rotate`, from tasks/pdf/rotate.ts. */
  name: string
  family: string
  path: string
}

const root = fileURLToPath(new URL('.', import.meta.url))
const NOT_FAMILIES = new Set(['kit', 'formats', 'engines', 'products', 'chores', 'samples'])
/** Holds what the declarations of a family share; it declares no operation. */
const SHARED_SCHEMA_FILE = 'schema.ts'

function operationNames(): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !NOT_FAMILIES.has(entry.name))
    .flatMap(family => listOperationFiles(family.name).map(file => `${family.name}.${file.slice(0, -3)}`))
    .sort()
}

function listOperationFiles(family: string): string[] {
  return readdirSync(`${root}${family}`).filter(file => file.endsWith('.ts') && file !== SHARED_SCHEMA_FILE)
}

export async function loadOperation(name: string): Promise<NamedOperation> {
  const [family, verb] = name.split('.') as [string, string]
  const module: { default?: Operation } = await import(`./${family}/${verb}.ts`)
  const declared = module.default
  if (typeof declared?.run !== 'function') throw new Error(`tasks/${family}/${verb}.ts default-exports no operation`)
  const operation = declared.composition ? await addSteps(declared.composition) : declared
  return { ...operation, name, family, path: operation.path ?? `/v1/${family}/${verb}` }
}

async function addSteps({ isStep, withSteps }: NonNullable<Operation['composition']>): Promise<Operation> {
  return withSteps(await Promise.all(operationNames().filter(isStep).map(loadOperation)))
}

export function loadOperations(): Promise<NamedOperation[]> {
  return Promise.all(operationNames().map(loadOperation))
}
