import type { Db } from '../../sql/db.ts'
import { listPlugins, type PluginRow } from '../../sql/plugin/files.ts'
import type { PluginDeclaration } from '../../tasks/engines/plugin/declaration.ts'
import { isReservedFamily } from '../../tasks/engines/plugin/names.ts'
import { buildPluginOperation } from '../../tasks/engines/plugin/operation.ts'
import { listFamilies, type NamedOperation } from '../../tasks/index.ts'
import { products } from '../../tasks/products/index.ts'

/** The words before the dot that are ours. */
const ours: ReadonlySet<string> = new Set([
  ...listFamilies(),
  ...products.flatMap(({ name, family, otherFamilies = {} }) => [name, family, ...Object.keys(otherFamilies)]),
])

/** Why a name cannot be that of a plugin; undefined if it can. */
export function explainTakenName(name: string): string | undefined {
  const [family = ''] = name.split('.')
  return isReservedFamily(family, ours)
    ? `name: the family ${family} is ours; choose another word before the dot`
    : undefined
}

/** The operation of a version, as everything knows it. */
export function toOperation(version: string, declaration: unknown): NamedOperation {
  const declared = declaration as PluginDeclaration
  const { name } = declared
  const [family, verb] = name.split('.') as [string, string]
  return { ...buildPluginOperation(version, declared), name, family, path: `/v1/${family}/${verb}`, version }
}

/** The operations that are in service, of those whose names are not ours since. */
export function listAddedOperations(rows: readonly PluginRow[]): NamedOperation[] {
  return rows
    .filter(({ name, version }) => name !== null && version !== null && explainTakenName(name) === undefined)
    .map(({ version, declaration }) => toOperation(version!, declaration))
}

/** The same, read where the operator has a folder of them. */
export async function readAddedOperations(db: Db, folder: string | undefined): Promise<NamedOperation[]> {
  return folder === undefined ? [] : listAddedOperations(await listPlugins(db))
}
