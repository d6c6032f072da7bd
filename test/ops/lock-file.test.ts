import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Locked {
  version?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Node looks for a package beside the one that wants it, and then in every folder above. */
function places(path: string, name: string): string[] {
  const above = path.split('node_modules/').map((_, depth, parts) => parts.slice(0, depth + 1).join('node_modules/'))
  return above.map(folder => `${folder}${folder === '' || folder.endsWith('/') ? '' : '/'}node_modules/${name}`)
}

/** `npm ci` refuses a lock file with a hole, such as a package for another platform that the registry does not have. */
test.each(['package-lock.json', 'ops/runtime/package-lock.json'])(
  '%s has an entry for whatever may be installed',
  file => {
    const { packages } = JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')) as {
      packages: Record<string, Locked>
    }
    const holes = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter(name => !places(path, name).some(place => packages[place]?.version))
        .map(name => `${path || 'package.json'} wants ${name}`),
    )
    expect(holes).toEqual([])
  },
)
