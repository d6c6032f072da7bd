import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Locked {
  version?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Node looks for a package next to the one that imports it, and then in every folder above. */
function listCandidates(path: string, name: string): string[] {
  const above = path.split('node_modules/').map((_, depth, parts) => parts.slice(0, depth + 1).join('node_modules/'))
  return above.map(folder => `${folder}${folder === '' || folder.endsWith('/') ? '' : '/'}node_modules/${name}`)
}

/** `npm ci` rejects a lock file with a missing entry, for example of a package for another platform. */
test.each(['package-lock.json', 'ops/runtime/package-lock.json'])(
  '%s has an entry for every package that may be installed',
  file => {
    const { packages } = JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')) as {
      packages: Record<string, Locked>
    }
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter(name => !listCandidates(path, name).some(candidate => packages[candidate]?.version))
        .map(name => `${path || 'package.json'} needs ${name}`),
    )
    expect(missing).toEqual([])
  },
)
