import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Static, TObject } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { OptionalText } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Without them only our own rules look at the spelling of a text. */
    dictionaries?: DictionaryConfig
  }
}

interface DictionaryConfig {
  folder: string
  /** Such as `de_DE`. */
  names: readonly string[]
}

const variables = {
  HUNSPELL_DIR: OptionalText({
    displayDefault: 'none',
    description:
      'Folder of dictionaries of Hunspell, such as `/usr/share/hunspell`: pairs like `de_DE.aff` and `de_DE.dic`, by which the built-in engine of `llm.proofread` finds misspelt words.',
  }),
}

export default declareSettings({
  title: 'Dictionaries',
  variables,
  isLocal: true,
  read: values => ({ dictionaries: readDictionaryConfig(values) }),
})

function readDictionaryConfig({ HUNSPELL_DIR: path }: Static<TObject<typeof variables>>): DictionaryConfig | undefined {
  if (path === undefined) return undefined
  const folder = resolve(path)
  const files = new Set(existsSync(folder) ? readdirSync(folder) : [])
  const names = [...files]
    .filter(file => /^[\w-]+\.dic$/.test(file) && files.has(file.replace(/dic$/, 'aff')))
    .map(file => file.slice(0, -'.dic'.length))
    .sort()
  if (names.length === 0)
    throw new ConfigError(`HUNSPELL_DIR names ${folder}, which has no pair of .aff and .dic files.`)
  return { folder, names }
}
