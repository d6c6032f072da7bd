import { VAGUE_WORDS } from '../../../ops/new.ts'
import { type Repository, TOP_FOLDERS } from './files.ts'

const ALLOWED_AT_TOP = new Set([
  ...TOP_FOLDERS,
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'Dockerfile',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'compose.yaml',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
])

/** The root holds only the top folders and a few files, so that a newcomer finds the way. */
export function findStrayTopFiles(repository: Repository): string[] {
  return [...repository.keys()]
    .filter(
      path => !path.includes('/') && !path.startsWith('.') && path !== 'node_modules' && !ALLOWED_AT_TOP.has(path),
    )
    .map(path => `${path} is in the root: only ${[...ALLOWED_AT_TOP].join(', ')} and hidden files may be there`)
}

/** These paths follow the customer's URL `/v1/utils`, so `utils` is not our choice. */
const CUSTOMER_PATHS = /^(test\/)?tasks\/utils\//

/** Names such as `helpers` or `utils` fit everything and so say nothing. */
export function findVagueNames(repository: Repository): string[] {
  return [...repository.keys()].flatMap(path => {
    if (!path.includes('/')) return []
    // Systemd wants its units to end so.
    const words = path
      .replace(CUSTOMER_PATHS, '')
      .replace(/(\/systemd\/.*)\.service$/, '$1')
      .split(/[/.-]/)
    const vagueWords = words.filter(word => VAGUE_WORDS.has(word))
    return vagueWords.length > 0 ? [`${path} is called ${vagueWords.join(' and ')}: name it after what it does`] : []
  })
}

const GENERATED = new Set(['ops/CONFIGURATION.md', 'sql/schema.sql', 'ops/runtime/package-lock.json'])

/** Files that are longer than their limit. */
export function findLongFiles(repository: Repository): string[] {
  return [...repository].flatMap(([path, text]) => {
    if (!path.includes('/') || GENERATED.has(path) || /^sql\/\w+\/schema\.sql$/.test(path) || path.endsWith('.json'))
      return []
    const lines = text.replace(/\n$/, '').split('\n').length
    const maxLines = maxLinesOf(path)
    return lines > maxLines ? [`${path} has ${lines} lines: at most ${maxLines}`] : []
  })
}

function maxLinesOf(path: string): number {
  const isUnit = /^tasks\/(?!kit\/|formats\/|chores\/)[^/]+\/[^/]+\.ts$|^api\/routes\/[^/]+\/[^/]+\.ts$/.test(path)
  return isUnit && !path.endsWith('/schema.ts') ? 120 : 300
}

/** Where a page shows the tree of folders: paths that do not exist, and listed folders that it leaves out. */
export function findTreeFaults(page: string, folders: readonly string[], exists: (path: string) => boolean): string[] {
  const tree = [...page.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].find(([, text]) => /^tasks\//m.test(text!))
  // A check that finds nothing to compare would pass for ever.
  if (!tree) return ['the page has no tree of folders']
  const shown = parseTree(tree[1]!)
  return [
    ...shown.filter(path => !exists(path)).map(path => `the tree shows ${path}: there is no such path`),
    ...folders.filter(folder => !shown.includes(folder)).map(folder => `the tree lacks ${folder}`),
  ]
}

/** The folders of the first level and those of the api, each of which a reader should find in the tree. */
export function listTreeFolders(repository: Repository): string[] {
  const folders = [...repository.keys()].map(path => /^(api\/[^/]+|[^./][^/]*)\/./.exec(path)?.[1])
  return [...new Set(folders.filter(folder => folder !== undefined).map(folder => `${folder}/`))].sort()
}

/** Each line has its depth as pairs of spaces, then names up to the first gap, then a description. */
export function parseTree(tree: string): string[] {
  const ancestors: string[] = []
  return tree.split('\n').flatMap(line => {
    const [, indent, names] = /^( *)(\S(?:.*?\S)??)(?: {2,}.*)?$/.exec(line) ?? []
    if (indent === undefined || !names) return []
    const depth = indent.length / 2
    ancestors.length = depth
    const listed = names.split(' ').filter(name => !/[<{*…]|\.{3}/.test(name))
    const parent = ancestors.join('')
    if (listed.length === 1 && listed[0]!.endsWith('/')) ancestors[depth] = listed[0]!
    return listed.map(name => parent + name)
  })
}
