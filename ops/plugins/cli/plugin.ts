import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { listPlugins } from '../../../sql/plugin/files.ts'
import { formatTable } from '../../cli/print.ts'
import { type BareRuns, type Runs, UsageError } from '../../cli/verb.ts'
import { type CheckedPlugin, checkPlugin } from '../check.ts'

export const runs: Runs = {
  async list({ db }) {
    const found = (await listPlugins(db)).map(({ declaration: _, ...plugin }) => plugin)
    const lines = found.map(({ file, name, version, share_percent: percent, fault, changed_at: changedAt }) => [
      ...[file, name ?? '', version?.slice(0, 8) ?? 'not in service', percent ? `${percent} %` : ''],
      ...[changedAt, fault ?? ''],
    ])
    return { data: found, text: formatTable(['file', 'operation', 'version', 'share', 'changed', 'refused'], lines) }
  },
}

export const bareRuns: BareRuns = {
  async check(_env, [path = '']) {
    const target = resolve(path)
    if (!existsSync(target)) throw new UsageError(`There is no ${path}.`)
    const checked = await checkPlugin(target)
    const isFailure = checked.fault !== undefined || checked.examples.some(({ fault }) => fault !== undefined)
    const { operation, ...data } = checked
    return { data: { name: operation?.name, ...data }, text: formatChecked(checked), isFailure }
  },
}

function formatChecked({ operation, examples, fault }: CheckedPlugin): string {
  if (!operation) return `refused: ${fault}`
  const lines = examples.map(({ title, charge, fault: wrong }) =>
    wrong === undefined ? `  "${title}" runs as printed, for ${charge} USD` : `  "${title}" does not: ${wrong}`,
  )
  return [`${operation.name} can be taken into service as POST ${operation.path}`, ...lines].join('\n')
}
