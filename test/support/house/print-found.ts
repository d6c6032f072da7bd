import { registerHooks } from 'node:module'

/** Runs in a process of its own: imports what an api and a worker are made of, and prints which files were found, and as what. */
const found = new Map<string, string | null | undefined>()

if (process.argv[2] === 'ours') await import('../../../ops/modules/resolve.ts')
registerHooks({
  resolve(specifier, context, next) {
    const result = next(specifier, context)
    found.set(`${specifier} from ${context.parentURL}`, `${result.url} ${result.format}`)
    return result
  },
})
for (const path of ['api/catalog.ts', 'api/server.ts', 'workers/worker-pools.ts', 'workers/perform.ts'])
  await import(new URL(`../../../${path}`, import.meta.url).href)
process.stdout.write(JSON.stringify([...found].filter(([name]) => !name.includes('resolve.ts')).sort()))
