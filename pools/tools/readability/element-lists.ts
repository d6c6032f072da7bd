import { createDocument, type DominoElement, type DominoNode } from '@mixmark-io/domino'

const sample = createDocument('<p><b></b></p>', true) as unknown as Document

/** Readability iterates over lists of elements, which the lists of this DOM do not offer by themselves. */
const lists = [
  sample.getElementsByTagName('b'),
  sample.querySelectorAll('b'),
  sample.body.childNodes,
  sample.body.children,
]
for (const list of lists) {
  const prototype = Object.getPrototypeOf(list) as object
  if (Symbol.iterator in list) continue
  Object.defineProperty(prototype, Symbol.iterator, { value: Array.prototype[Symbol.iterator], configurable: true })
}

type Queried = Pick<DominoElement, 'querySelectorAll'> & { readonly firstChild: DominoNode | null }

const SEVERAL_TAGS = /^\w+(?:\s*,\s*\w+)+$/

/**
 * Lets a query for elements of several tags walk the tree once. By itself this DOM walks it once for each tag and sorts what
 * it found, which takes most of the time of reading a page.
 */
export function speedUpQueries<Root extends Queried>(root: Root): Root {
  const queryAny = root.querySelectorAll
  const value = function (this: Queried, selector: string): ArrayLike<DominoElement> {
    return SEVERAL_TAGS.test(selector) ? collectByTag(this, selector) : queryAny.call(this, selector)
  }
  return Object.defineProperty(root, 'querySelectorAll', { value, configurable: true })
}

function collectByTag(root: Queried, selector: string): DominoElement[] {
  const tags = new Set(selector.toLowerCase().split(/\s*,\s*/))
  const found: DominoElement[] = []
  const visit = ({ firstChild }: Queried) => {
    for (let node = firstChild; node; node = node.nextSibling) {
      if (node.nodeType !== ELEMENT) continue
      const element = node as DominoElement
      if (tags.has(element.localName)) found.push(element)
      visit(element)
    }
  }
  visit(root)
  return found
}

const ELEMENT = 1

/** Of all elements of HTML. */
const elementPrototype = Object.getPrototypeOf(Object.getPrototypeOf(sample.createElement('p'))) as Queried
speedUpQueries(elementPrototype)
