import type { TreeNode } from './tree.ts'

const toSet = (text: string) => new Set(text.trim().split(/\s+/))

/** Functions whose result is as large as a number among their arguments says. */
const GROWING = toSet('array_resize format generate_series list_resize lpad printf range repeat rpad to_base')
/** Functions whose result can be as large as the product of their arguments. */
const MULTIPLYING = toSet('array_resize array_to_string list_resize regexp_replace repeat replace')
/** Of numbers and digits that make a size. */
const COMPUTING = toSet('* || concat')
/** Functions in whose first argument a number is a size. */
const FORMATTING = toSet('format printf')

/** Of one size, and of all results together. */
const MAX_SIZE = 10_000_000
const MAX_TOTAL = 100_000_000

/**
 * Whether the results of a statement are too large, as far as its constants tell. The engine computes those while it
 * binds, where neither its limit of memory nor an interrupt stops it.
 */
export function findOversize(tree: unknown): { reason: string; construct: string; limit: number } | undefined {
  const measure = new Measure()
  const size = measure.size(tree)
  if (size <= MAX_TOTAL) return undefined
  const [reason, limit] =
    size === Infinity ? ['a size above ten million', MAX_SIZE] : ['results above a hundred million', MAX_TOTAL]
  return { reason, construct: measure.lastFunction, limit }
}

/** What a constant counts as: an argument that may be a size, a text that is copied, or nothing. */
type Meaning = 'size' | 'text' | 'nothing'

class Measure {
  /** The function that was measured last with a size of its own. */
  lastFunction = ''

  size(value: unknown, meaning: Meaning = 'nothing'): number {
    if (typeof value !== 'object' || value === null) return 0
    if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + this.size(each, meaning), 0)
    const node = value as TreeNode
    if (node.class === 'CONSTANT') return measureConstant((node.value as TreeNode | undefined)?.value, meaning)
    if (node.type === 'TABLE_FUNCTION') return this.#tableFunction(node)
    if (typeof node.function_name === 'string') return this.#function(node, meaning)
    const inner: Meaning = meaning === 'text' ? 'size' : meaning
    return Object.values(node).reduce<number>((sum, each) => sum + this.size(each, inner), 0)
  }

  /** Its rows come one after another. */
  #tableFunction(node: TreeNode): number {
    const size = Object.values(node).reduce<number>((sum, each) => sum + this.size(each), 0)
    return size > MAX_TOTAL ? size : 0
  }

  #function(node: TreeNode, given: Meaning): number {
    const called = String(node.function_name).toLowerCase()
    const isGrowing = GROWING.has(called)
    const meaning: Meaning = isGrowing ? 'size' : given === 'text' ? 'size' : given
    const argumentsOf = (node.children ?? []) as TreeNode[]
    const sizes = argumentsOf.map((child, index) =>
      this.size(child, isGrowing && !(FORMATTING.has(called) && index === 0) ? 'text' : meaning),
    )
    const others = this.size([node.filter, node.order_bys])
    if (isGrowing) this.lastFunction = String(node.function_name)
    const isComputed = meaning === 'size' && COMPUTING.has(called)
    const isProduct = isComputed || MULTIPLYING.has(called) || argumentsOf.some(child => child.class === 'LAMBDA')
    const total = isProduct
      ? sizes.reduce((product, size) => product * Math.max(1, size), 1)
      : sizes.reduce((sum, size) => sum + size, 0)
    return (isComputed ? limitSize(total) : total) + others
  }
}

/** Large integers are serialised in parts. */
function measureConstant(constant: unknown, meaning: Meaning): number {
  if (typeof constant === 'string' && meaning !== 'size') return constant.length
  if (meaning === 'nothing' || constant === null || typeof constant === 'boolean') return 0
  if (typeof constant === 'number') return limitSize(constant)
  if (typeof constant !== 'string') return Infinity
  const sizes = [...constant.matchAll(/\d+/g)].map(([digits]) => limitSize(Number(digits)))
  return sizes.reduce((sum, size) => sum + size, constant.length)
}

function limitSize(size: number): number {
  return Math.abs(size) > MAX_SIZE ? Infinity : Math.abs(size)
}
