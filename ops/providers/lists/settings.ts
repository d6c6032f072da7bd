import { resolve } from 'node:path'
import { declareSettings } from '../../variables/declaration.ts'
import { OptionalText } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Where the lists of screening come from. */
    lists: ListsConfig
  }
}

export interface ListsConfig {
  /** A folder of files that is looked into first. */
  folder?: string
  /** Addresses in place of the usual ones, by the keys of lists. */
  urls: ReadonlyMap<string, string>
}

const variables = {
  LISTS_DIR: OptionalText({
    displayDefault: 'none',
    description:
      'Folder with the files of screening lists, such as `sdn.csv`; they are used before anything is fetched, and need no network.',
  }),
  LISTS_URLS: OptionalText({
    isSecret: true,
    displayDefault: "the publishers' own",
    expects: 'lists with their addresses, such as `eu_fsf=https://…`, separated by blanks',
    pattern: '^\\s*[a-z_]+=https?://\\S+(\\s+[a-z_]+=https?://\\S+)*\\s*$',
    description:
      'Addresses of screening lists, for those that need a token or have moved; `{file}` stands for the file, of a list of several. Fetched where OUTBOUND is `public`.',
  }),
}

export default declareSettings({
  title: 'Screening lists',
  variables,
  read({ LISTS_DIR, LISTS_URLS = '' }) {
    const pairs = LISTS_URLS.split(/\s+/).filter(pair => pair !== '')
    const urls = new Map(pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
    return { lists: { urls, ...(LISTS_DIR !== undefined && { folder: resolve(LISTS_DIR) }) } }
  },
})
