import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Operation } from './kit/operation.ts'

/** An operation with the names that follow from the path of its file. */
export interface NamedOperation extends Operation {
  /** `pdf.rotate`, from tasks/pdf/rotate.ts. */
  name: string
  family: string
  path: string
  /** Which version it is, if an operator has added it. */
  version?: string
}

const root = fileURLToPath(new URL('.', import.meta.url))
const NOT_FAMILIES = new Set(['kit', 'formats', 'engines', 'products', 'chores', 'samples'])
/** Holds what the declarations of a family share; it declares no operation. */
const SHARED_SCHEMA_FILE = 'schema.ts'

/** The folders of families, and where products have theirs: `llm` is `products/language/operations/llm`. */
const folders = new Map(
  [...listFolders('').filter(name => !NOT_FAMILIES.has(name)), ...listFolders('products/').flatMap(listFamiliesOf)].map(
    folder => [folder.split('/').at(-1)!, folder] as const,
  ),
)

function listFolders(path: string): string[] {
  return readdirSync(root + path, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
}

function listFamiliesOf(product: string): string[] {
  const path = `products/${product}/operations/`
  return existsSync(root + path) ? listFolders(path).map(family => path + family) : []
}

function operationNames(): string[] {
  return [...folders]
    .flatMap(([family, folder]) => listOperationFiles(folder).map(file => `${family}.${file.slice(0, -3)}`))
    .sort()
}

function listOperationFiles(folder: string): string[] {
  return readdirSync(root + folder).filter(file => file.endsWith('.ts') && file !== SHARED_SCHEMA_FILE)
}

/** The families of our operations. */
export function listFamilies(): string[] {
  return [...folders.keys()]
}

/** Every file that declares an operation. */
export function listOperations(): string[] {
  return [...folders.values()].flatMap(folder => listOperationFiles(folder).map(file => `${root}${folder}/${file}`))
}

export async function loadOperation(name: string): Promise<NamedOperation> {
  const [family, verb] = name.split('.') as [string, string]
  const file = `${folders.get(family) ?? family}/${verb}.ts`
  const module: { default?: Operation } = await import(/* @vite-ignore */ `./${file}`)
  const declared = module.default
  if (typeof declared?.run !== 'function') throw new Error(`tasks/${file} default-exports no operation`)
  const operation = declared.composition ? await addSteps(declared.composition) : declared
  return { ...operation, name, family, path: operation.path ?? `/v1/${family}/${verb}` }
}

async function addSteps({ isStep, withSteps }: NonNullable<Operation['composition']>): Promise<Operation> {
  return withSteps(await Promise.all(operationNames().filter(isStep).map(loadOperation)))
}

/** The same operations where `added` ones can be steps too. */
export function withSteps(
  operations: readonly NamedOperation[],
  added: readonly NamedOperation[],
): readonly NamedOperation[] {
  return operations.map(operation => {
    const { composition, name, family, path } = operation
    if (!composition?.takesAdded) return operation
    const ours = operations.filter(step => composition.isStep(step.name))
    return { ...composition.withSteps([...ours, ...added]), name, family, path }
  })
}

export function loadOperations(): Promise<NamedOperation[]> {
  return Promise.all(operationNames().map(loadOperation))
}
