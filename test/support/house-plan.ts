import { EMPTY_WORDS } from '../../ops/new.ts'
import { type House, ROOMS } from './house-files.ts'

const AT_TOP = new Set([...ROOMS, 'LICENSE', 'README.md', 'package.json', 'package-lock.json', 'tsconfig.json'])

/** Whoever opens the folder sees the floors and nothing else. */
export function strayAtTop(house: House): string[] {
  return [...house.keys()]
    .filter(path => !path.includes('/') && !path.startsWith('.') && path !== 'node_modules' && !AT_TOP.has(path))
    .map(path => `${path} stands at the top: only ${[...AT_TOP].join(', ')} and hidden files do`)
}

/** The customer's own address, not a name of ours. */
const CUSTOMERS_WORDS = /^(test\/)?tasks\/utils\//

/** A name that fits everything says nothing. */
export function emptyNames(house: House): string[] {
  return [...house.keys()].flatMap(path => {
    if (!path.includes('/')) return []
    const words = path.replace(CUSTOMERS_WORDS, '').split(/[/.-]/)
    const found = words.filter(word => EMPTY_WORDS.has(word))
    return found.length > 0 ? [`${path} is named ${found.join(' and ')}: name it by what it does`] : []
  })
}

const MADE = new Set(['sql/schema.sql', 'ops/runtime/package-lock.json'])

/** Files that have grown past one sitting. */
export function tooLong(house: House): string[] {
  return [...house].flatMap(([path, text]) => {
    if (!path.includes('/') || MADE.has(path) || path.endsWith('.json')) return []
    const lines = text.replace(/\n$/, '').split('\n').length
    const most = limitOf(path)
    return lines > most ? [`${path} has ${lines} lines: at most ${most}`] : []
  })
}

function limitOf(path: string): number {
  const isUnit = /^tasks\/(?!kit\/|chores\/)[^/]+\/[^/]+\.ts$|^api\/routes\/[^/]+\/[^/]+\.ts$/.test(path)
  return isUnit && !/(^|[/-])shape\.ts$/.test(path) ? 120 : 300
}

/** The tree in the README is the tree: a path in it that is gone misleads whoever reads it first. */
export function fictionsInTree(readme: string, exists: (path: string) => boolean): string[] {
  const tree = [...readme.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].find(([, text]) => /^tasks\//m.test(text!))
  if (!tree) return []
  return pathsOf(tree[1]!)
    .filter(path => !exists(path))
    .map(path => `README.md's tree shows ${path}: there is no such path`)
}

/** Each line: its depth in pairs of spaces, then names up to the first gap, then what they are for. */
export function pathsOf(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap(line => {
    const [, indent, names] = /^( *)(\S(?:.*?\S)??)(?: {2,}.*)?$/.exec(line) ?? []
    if (indent === undefined || !names) return []
    const depth = indent.length / 2
    above.length = depth
    const listed = names.split(' ').filter(name => !/[<{*…]|\.{3}/.test(name))
    const parent = above.join('')
    if (listed.length === 1 && listed[0]!.endsWith('/')) above[depth] = listed[0]!
    return listed.map(name => parent + name)
  })
}
