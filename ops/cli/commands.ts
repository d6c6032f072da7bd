import { existsSync, readdirSync } from 'node:fs'
import { PLATFORM_NOUNS } from './nouns.ts'
import type { BareRuns, Nouns, Runs, Verb } from './verb.ts'

interface NounModule {
  runs: Runs
  bareRuns?: BareRuns
}

interface Noun {
  verbs: Readonly<Record<string, Verb>>
  /** Loads what runs them. */
  load(): Promise<NounModule>
}

const products = new URL('../products/', import.meta.url)

/** All commands by noun: those of the platform, and those that products and plugins declare in a folder `cli` of theirs. */
export const commands: ReadonlyMap<string, Noun> = new Map([
  ...listNouns(PLATFORM_NOUNS, new URL('./', import.meta.url)),
  ...(await listProductNouns()),
])

async function listProductNouns(): Promise<[string, Noun][]> {
  const folders = readdirSync(products)
    .map(name => new URL(`${name}/cli/`, products))
    .concat(new URL('../plugins/cli/', import.meta.url))
    .filter(folder => existsSync(new URL('nouns.ts', folder)))
  const declared = await Promise.all(
    folders.map(async folder => {
      const module: { default: Nouns } = await import(new URL('nouns.ts', folder).href)
      return listNouns(module.default, folder)
    }),
  )
  return declared.flat()
}

/** The verbs of a noun are run by the file of its name in the folder that declares it. */
function listNouns(nouns: Nouns, folder: URL): [string, Noun][] {
  return Object.entries(nouns).map(([name, verbs]) => [
    name,
    { verbs, load: () => import(new URL(`${name}.ts`, folder).href) as Promise<NounModule> },
  ])
}
