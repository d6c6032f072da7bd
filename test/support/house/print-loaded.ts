import { registerHooks } from 'node:module'

/** Runs in a process of its own: imports the catalogue and prints the packages and native addons that were loaded. */
const packages = new Set<string>()

registerHooks({
  load(url, context, next) {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? []
    if (name) packages.add(name)
    return next(url, context)
  },
})

const { loadOperations } = await import('../../../tasks/index.ts')
await loadOperations()
const byTasks = [...packages]
const { loadCatalog } = await import('../../../api/catalog.ts')
await loadCatalog()
const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] }
const addons = sharedObjects.filter(path => path.endsWith('.node'))
process.stdout.write(JSON.stringify({ byTasks, byCatalogue: [...packages], addons }))
